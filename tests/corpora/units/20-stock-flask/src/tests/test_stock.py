from flask import Flask

scratch = Flask("scratch")


@scratch.delete("/items/<sku>")
def drop(sku):
    return "", 204


@scratch.put("/items/<sku>")
def put(sku):
    return {}


def test_scratch_has_no_items():
    assert scratch.test_client().get("/items").status_code == 404
