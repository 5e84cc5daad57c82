from fastapi import APIRouter, HTTPException, status

from todo_service.models import Todo, TodoDraft, TodoSummary

router = APIRouter(prefix="/todos", tags=["todos"])
_todos: dict[int, Todo] = {}


@router.get("")
async def list_todos() -> list[Todo]:
    return list(_todos.values())


@router.post("", status_code=status.HTTP_201_CREATED)
async def create_todo(draft: TodoDraft) -> Todo:
    todo = Todo(id=len(_todos) + 1, title=draft.title, done=draft.done)
    _todos[todo.id] = todo
    return todo


@router.get("/{todo_id}", response_model=TodoSummary)
async def show_todo(todo_id: int):
    if todo_id not in _todos:
        raise HTTPException(404, "no such todo")
    return _todos[todo_id]


@router.delete("/{todo_id}", status_code=204)
async def remove_todo(todo_id: int) -> None:
    _todos.pop(todo_id, None)
