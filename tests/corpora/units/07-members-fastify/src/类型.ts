/** 一位会员的资料，与契约第 5 版对应 */
export interface 会员 {
  编号: string
  姓名: string
  等级: '普通' | '银卡'
  积分: number
}

export interface 入会申请 {
  姓名: string
  推荐人: string
}
