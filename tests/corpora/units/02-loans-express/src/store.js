'use strict'

const rows = new Map()

exports.list = async () => [...rows.values()]
exports.find = async (id) => rows.get(id) ?? null
exports.lend = async (loan) => {
  if (rows.has(loan.bookId)) return null
  rows.set(loan.bookId, loan)
  return loan
}
exports.close = async (id) => {
  const loan = rows.get(id) ?? null
  rows.delete(id)
  return loan
}
