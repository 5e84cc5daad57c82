from fastapi import APIRouter, FastAPI

from .接口 import 会议室接口, 预订接口

总路由 = APIRouter(prefix="/api")
总路由.include_router(会议室接口)
总路由.include_router(预订接口)

app = FastAPI(title="会议室预订")
app.include_router(总路由)
