from fastapi import APIRouter, HTTPException

from .模型 import 会议室, 预订, 预订申请

会议室接口 = APIRouter(prefix="/rooms")
预订接口 = APIRouter(prefix="/bookings")

_会议室表: dict[int, 会议室] = {}
_预订表: dict[int, list[预订]] = {}


@会议室接口.get("")
async def 列出会议室() -> list[会议室]:
    return list(_会议室表.values())


@会议室接口.get("/{编号}/bookings")
async def 列出预订(编号: int) -> list[预订]:
    return _预订表.get(编号, [])


@会议室接口.post("/{编号}/bookings", status_code=201)
async def 新建预订(编号: int, 申请: 预订申请) -> 预订:
    已有 = _预订表.setdefault(编号, [])
    # 时间有重叠就拒绝
    if any(一条.开始 < 申请.结束 and 申请.开始 < 一条.结束 for 一条 in 已有):
        raise HTTPException(status_code=409, detail="时间冲突")
    新 = 预订(编号=len(已有) + 1, **申请.model_dump())
    已有.append(新)
    return 新


@预订接口.delete("/{预订编号}", status_code=204)
async def 取消预订(预订编号: int) -> None:
    for 一组 in _预订表.values():
        for 一条 in 一组:
            if 一条.编号 == 预订编号:
                一组.remove(一条)
                return
    raise HTTPException(status_code=404, detail="没有这条预订")
