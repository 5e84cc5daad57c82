import pytest

from devloop_tools.domain.source.paths import joined, key_of, spellings


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("/todos/:id", ["/todos/{id}"]),
        ("/todos/{id}", ["/todos/{id}"]),
        ("/todos/<id>", ["/todos/{id}"]),
        ("/todos/<int:id>", ["/todos/{id}"]),
        ("/todos/<regex('[a-z]{2}'):id>", ["/todos/{id}"]),
        ("/todos/<any(a, b):kind>/x", ["/todos/{kind}/x"]),
        ("/files/{path:path}", ["/files/{path}"]),
        (r"/todos/:id(\d+)", ["/todos/{id}"]),
        (r"/todos/:id((?:a|b)+)/x", ["/todos/{id}/x"]),
        ("/todos/:id{[0-9]+}", ["/todos/{id}"]),
        ("/todos/:id{[0-9]{2}}/x", ["/todos/{id}/x"]),
        ("/todos/:id?", ["/todos", "/todos/{id}"]),
        ("/todos{/:id}", ["/todos", "/todos/{id}"]),
        ("/files/*", ["/files/{rest}"]),
        ("/files/*path", ["/files/{path}"]),
        ("/files/{*path}", ["/files/{path}"]),
        ("/:from-:to", ["/{from}-{to}"]),
        ("/v{version}/x", ["/v{version}/x"]),
        ("/书/:编号", ["/书/{编号}"]),
        ("/plain", ["/plain"]),
    ],
)
def test_a_parameter_is_one_in_each_spelling(written: str, read: list[str]) -> None:
    assert spellings(written) == read


@pytest.mark.parametrize(
    ("prefix", "path", "whole"),
    [
        ("", "", "/"),
        ("", "/", "/"),
        ("/api", "/", "/api"),
        ("/api/", "/todos/", "/api/todos"),
        ("/api", "todos", "/api/todos"),
    ],
)
def test_a_path_below_a_prefix_has_single_slashes(prefix: str, path: str, whole: str) -> None:
    assert joined(prefix, path) == whole


def test_names_of_parameters_do_not_tell_paths_apart() -> None:
    assert key_of("/todos/:id/tags/<int:n>") == key_of("/todos/{todoId}/tags/{tag}/")
    assert key_of("/todos/{id}") != key_of("/todos/id")
