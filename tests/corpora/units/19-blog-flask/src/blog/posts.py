from flask import Blueprint, abort, jsonify, request

bp = Blueprint("posts", __name__, url_prefix="/blog")

_posts: dict[int, dict[str, object]] = {}


@bp.route("/posts", methods=["GET", "POST"])
def posts():
    if request.method == "POST":
        if not request.json or "title" not in request.json:
            abort(400)
        post = {"id": len(_posts) + 1, **request.json}
        _posts[len(_posts) + 1] = post
        return jsonify(post), 201
    return jsonify(list(_posts.values()))


@bp.route("/posts/<int:post_id>")
def show(post_id: int):
    if post_id not in _posts:
        abort(404)
    return jsonify(_posts[post_id])


@bp.route("/posts/<int:post_id>", methods=["DELETE"])
def remove(post_id: int):
    _posts.pop(post_id, None)
    return "", 204


@bp.route("/feed")
def feed():
    return jsonify({"version": 1, "items": list(_posts.values())[-20:]})
