"""The todos, as the contract has them."""

from contract import models


class Todos(models.Handlers):
    """Keeps them in memory, in the order in which they were added."""

    def __init__(self) -> None:
        self._todos: list[models.Todo] = []
        self._last_id = 0

    def get_todos(self) -> models.GetTodosResponse:
        return {"status": 200, "body": self._todos}

    def post_todos(self, *, request: models.NewTodo) -> models.PostTodosResponse:
        title = request["title"].strip()
        if not 0 < len(title) <= 200:
            return {"status": 400, "body": {"error": "标题 title: 1 to 200 characters"}}
        self._last_id += 1
        todo: models.Todo = {"id": self._last_id, "title": title, "done": False}
        self._todos.append(todo)
        return {"status": 201, "body": todo}

    def post_todos_by_id_done(self, *, id: str) -> models.PostTodosByIdDoneResponse:
        todo = self._found(id)
        if todo is None:
            return {"status": 404, "body": {"error": f"there is no todo {id}"}}
        todo["done"] = True
        return {"status": 200, "body": todo}

    def delete_todos_by_id(self, *, id: str) -> models.DeleteTodosByIdResponse:
        todo = self._found(id)
        if todo is None:
            return {"status": 404, "body": {"error": f"there is no todo {id}"}}
        self._todos.remove(todo)
        return {"status": 204, "body": None}

    def _found(self, id: str) -> models.Todo | None:
        return next((todo for todo in self._todos if str(todo["id"]) == id), None)
