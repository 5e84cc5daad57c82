import pytest

from devloop_tools.domain.bridge.names import (
    Names,
    braced,
    camel,
    identifier,
    pascal,
    path_parameters,
    snake,
    words_of,
)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("title", "title"),
        ("标题", "标题"),
        ("项目 id", "项目_id"),
        ("a-b.c", "a_b_c"),
        ("1st", "_1st"),
        ("", "_"),
        ("🙂", "_"),
        ("e\u0301", "é"),
        ("ﬁ", "fi"),
        ("*/", "__"),
    ],
)
def test_an_identifier_keeps_letters_of_every_script(text: str, name: str) -> None:
    assert identifier(text) == name
    assert name.isidentifier()


def test_two_things_in_one_scope_never_have_one_name() -> None:
    scope = Names(["class"])
    taken = [scope.take(name) for name in ("class", "a b", "a-b", "a_b", "a_b", "class_")]
    assert taken == ["class_", "a_b", "a_b_", "a_b_2", "a_b_3", "class__"]


@pytest.mark.parametrize(
    ("path", "names", "written"),
    [
        ("/todos/{id}", ["id"], "/todos/{id}"),
        ("/todos/:id/items/:项目", ["id", "项目"], "/todos/{id}/items/{项目}"),
        ("/files/{name:str}.json", ["name"], "/files/{name}.json"),
        ("/at/12:30", [], "/at/12:30"),
        ("/", [], "/"),
    ],
)
def test_path_parameters_are_found_in_both_spellings(
    path: str, names: list[str], written: str
) -> None:
    assert path_parameters(path) == names
    assert braced(path) == written


def test_an_endpoint_is_called_by_its_method_and_path() -> None:
    words = words_of("GET", "/todo-lists/{listId}/任务/:id")
    assert words == ["get", "todo", "lists", "by", "listId", "任务", "by", "id"]
    assert camel(words) == "getTodoListsByListId任务ById"
    assert pascal(words) == "GetTodoListsByListId任务ById"
    assert snake(words) == "get_todo_lists_by_list_id_任务_by_id"
