import Fastify from 'fastify'
import type { 会员, 入会申请 } from './类型'

const 名册 = new Map<string, 会员>()
const 应用 = Fastify()

// 列表：新会员在前
应用.get('/会员', async () => [...名册.values()].reverse())

应用.post<{ Body: 入会申请 }>('/会员', async (请求, 回复) => {
  const 编号 = String(名册.size + 1).padStart(6, '0')
  const 新会员: 会员 = { 编号, 姓名: 请求.body.姓名, 等级: '普通', 积分: 0 }
  名册.set(编号, 新会员)
  回复.code(201)
  return 新会员
})

应用.get<{ Params: { id: string } }>('/会员/:id', async (请求, 回复) => {
  const 某人 = 名册.get(请求.params.id)
  if (!某人) return 回复.code(404).send({ code: '查无此人' })
  return 某人
})

// TODO: 应用.post('/会员/:id/积分') 等积分规则定了再写
export default 应用
