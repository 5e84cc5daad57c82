from pydantic import BaseModel


class Todo(BaseModel):
    id: int
    title: str
    done: bool


class TodoDraft(BaseModel):
    title: str
    done: bool = False


class TodoSummary(BaseModel):
    id: int
    title: str
