"""会议室与预订的数据模型。"""

from pydantic import BaseModel


class 会议室(BaseModel):
    编号: int
    名称: str
    容量: int


class 预订申请(BaseModel):
    主题: str
    开始: str
    结束: str


class 预订(BaseModel):
    编号: int
    主题: str
    开始: str
    结束: str
    备注: str | None = None
