"""What the contract of todo-be promises, asked of the code itself."""

import pytest
from todo import Todos


@pytest.fixture
def todos() -> Todos:
    return Todos()


def added(todos: Todos, title: str) -> str:
    answer = todos.post_todos(request={"title": title})
    assert answer["status"] == 201
    return str(answer["body"]["id"])


def test_a_todo_is_added_and_listed(todos: Todos) -> None:
    added(todos, "买牛奶 milk")
    assert todos.get_todos()["body"] == [{"id": 1, "title": "买牛奶 milk", "done": False}]


def test_a_blank_title_is_refused(todos: Todos) -> None:
    assert todos.post_todos(request={"title": " \u3000"})["status"] == 400


def test_a_todo_is_done_by_its_id(todos: Todos) -> None:
    added(todos, "买牛奶")
    answer = todos.post_todos_by_id_done(id=added(todos, "Call Ann"))
    assert answer == {"status": 200, "body": {"id": 2, "title": "Call Ann", "done": True}}


def test_a_todo_can_be_done_after_an_earlier_one_was_deleted(todos: Todos) -> None:
    first, second = added(todos, "买牛奶"), added(todos, "Call Ann")
    assert todos.delete_todos_by_id(id=first)["status"] == 204
    answer = todos.post_todos_by_id_done(id=second)
    assert answer == {"status": 200, "body": {"id": 2, "title": "Call Ann", "done": True}}


def test_an_id_that_was_never_given_is_not_found(todos: Todos) -> None:
    assert todos.post_todos_by_id_done(id="7")["status"] == 404
    assert todos.delete_todos_by_id(id="登录")["status"] == 404
