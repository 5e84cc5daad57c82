"""The exception that carries a JSON-RPC error."""

from devloop_tools.protocol.errors import INTERNAL_ERROR, INVALID_PARAMS, RpcError


def test_the_body_has_data_only_where_some_was_given() -> None:
    plain = RpcError(INVALID_PARAMS, "name: 缺少")
    assert plain.body() == {"error": {"code": -32602, "message": "name: 缺少"}}
    with_data = RpcError(INTERNAL_ERROR, "x", {"k": 0})
    assert with_data.body() == {"error": {"code": -32603, "message": "x", "data": {"k": 0}}}
    assert str(plain) == "name: 缺少"
