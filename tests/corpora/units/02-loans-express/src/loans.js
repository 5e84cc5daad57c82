'use strict'

const { Router } = require('express')
const store = require('./store')

const router = Router()

router
  .route('/')
  .get(async (req, res) => {
    res.json(await store.list())
  })
  .post(async (req, res) => {
    const loan = await store.lend(req.body)
    if (loan === null) return res.status(409).json({ code: 'already_lent' })
    return res.status(201).json(loan)
  })

router
  .route('/:id')
  .get(async (req, res) => {
    const loan = await store.find(req.params.id)
    if (loan === null) return res.status(404).json({ code: 'no_such_loan' })
    return res.json(loan)
  })
  .delete(async (req, res) => {
    const loan = await store.close(req.params.id)
    if (loan === null) return res.status(404).json({ code: 'no_such_loan' })
    return res.status(200).json(loan)
  })

// router.post('/:id/renewals', async (req, res) => {
//   const loan = await store.renew(req.params.id)
//   res.status(201).json(loan)
// })

module.exports = router
