from dataclasses import asdict, dataclass

from flask import Flask, abort, request

app = Flask(__name__)


@dataclass
class _Item:
    sku: str
    pieces: int = 0


_shelf: dict[str, _Item] = {}


@app.get("/items")
def list_items():
    return [asdict(item) for item in _shelf.values()]


@app.post("/items")
def add_item():
    item = _Item(**request.get_json())
    _shelf[item.sku] = item
    return asdict(item), 201


@app.get("/items/<sku>")
def show_item(sku):
    return asdict(_shelf.get(sku) or abort(404))


@app.post("/items/<string:sku>/moves")
def move(sku):
    item = _shelf.get(sku) or abort(404)
    pieces = item.pieces + int(request.json["by"])
    if pieces < 0:
        return {"code": "not_enough"}, 409
    item.pieces = pieces
    return asdict(item), 200


# @app.delete("/items/<sku>")
def drop_item(sku):
    _shelf.pop(sku, None)
    return "", 204
