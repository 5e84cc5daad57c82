from fastapi import FastAPI

from .stations import stations

VERSION = "/v2"

app = FastAPI()
app.include_router(stations, prefix=VERSION)


@app.get("/status")
async def get_status() -> dict[str, str]:
    return {"status": "open"}
