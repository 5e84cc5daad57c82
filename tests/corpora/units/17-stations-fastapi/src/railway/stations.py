from typing import Any

from fastapi import APIRouter, Body, HTTPException

stations = APIRouter(prefix="/stations")
_known: dict[int, dict[str, Any]] = {}


@stations.get("")
async def every_station() -> list[dict[str, Any]]:
    return list(_known.values())


@stations.get("/{station:int}")
async def one_station(station: int) -> dict[str, Any]:
    if station not in _known:
        raise HTTPException(404)
    return _known[station]


@stations.api_route("/{station:int}", methods=["PUT", "PATCH"])
async def change_station(station: int, values: dict[str, Any] = Body()) -> dict[str, Any]:
    _known[station] = {**_known.get(station, {}), **values}
    return _known[station]


@stations.get("/{station:int}/departures")
async def departures(station: int) -> list[dict[str, Any]]:
    return _known[station].get("departures", [])
