from flask import Flask, jsonify, request

from 图书馆 import 检索

app = Flask(__name__)
_借阅: dict[int, dict[str, str]] = {}


@app.get("/books")
def _检索图书():
    return jsonify(检索(50, request.args.get("q", "")))


@app.route("/borrowings", methods=("POST",))
def _借书():
    if request.json["isbn"] in [一条["isbn"] for 一条 in _借阅.values()]:
        return jsonify(code="已借出"), 409
    _借阅[len(_借阅) + 1] = request.json
    return jsonify(request.json), 201


def _还书(borrowing_id: int):
    _借阅.pop(borrowing_id, None)
    return "", 204


app.add_url_rule("/borrowings/<int:borrowing_id>", view_func=_还书, methods=["DELETE"])


# 逾期清单，给前台大屏用
@app.get("/borrowings/overdue")
def _逾期():
    return jsonify([])
