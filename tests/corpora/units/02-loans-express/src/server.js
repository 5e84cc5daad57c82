'use strict'

const express = require('express')
const loans = require('./loans')

const app = express()
const v1 = express.Router()

v1.use('/loans', loans)
app.use(express.json())
app.use('/v1', v1)

// The old clients are told where to go, e.g. app.get('/loans', ...) is gone for good.
console.log("try: curl -X PUT '/v1/loans/7'")

app.listen(process.env.PORT ?? 4200)
