const albums = new Map()

exports.list = async (ctx) => {
  ctx.body = [...albums.values()]
}

exports.show = async (ctx) => {
  const album = albums.get(ctx.params.id)
  if (!album) ctx.throw(404, 'no such album')
  ctx.body = album
}

exports.change = async (ctx) => {
  const album = { ...albums.get(ctx.params.id), title: ctx.query.title }
  albums.set(ctx.params.id, album)
  ctx.body = album
}

exports.addPicture = async (ctx) => {
  ctx.status = 201
  ctx.body = { id: Date.now(), album: ctx.params.id }
}
