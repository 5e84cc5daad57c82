from fastapi import FastAPI

from todo_service.routes import router

app = FastAPI(title="Todos", docs_url=None)
app.include_router(router, prefix="/api")
