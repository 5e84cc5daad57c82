"""The todo list of one agent: a replaceable plan whose items depend on each other."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from graphlib import CycleError, TopologicalSorter
from itertools import chain, count
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from devloop_tools.domain.clock import timestamp
from devloop_tools.domain.events import EventLog, EventType
from devloop_tools.domain.json_files import load, save
from devloop_tools.domain.origin import Origin
from devloop_tools.domain.outcome import Done, Refused, refused
from devloop_tools.storage.files import ProjectFile
from devloop_tools.storage.workspace import Workspace

MAX_ITEMS = 500
HISTORY_FOLDER = "agent-state/history"

StepId = Annotated[
    str,
    Field(
        pattern=r"^step-[0-9]{3}$",
        description="The item's id: step- and three digits.",
        examples=["step-001"],
    ),
]


class Status(StrEnum):
    TODO = "todo"
    DOING = "doing"
    DONE = "done"
    BLOCKED = "blocked"
    SKIPPED = "skipped"


_FINISHED = frozenset({Status.DONE, Status.SKIPPED})


class PlannedItem(BaseModel):
    """An item as the agent plans it. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    id: StepId
    description: str = Field(
        min_length=1, max_length=2000, description="What has to be done, in a sentence."
    )
    depends_on: list[StepId] = Field(
        default_factory=list, max_length=50, description="Ids that must be finished before."
    )


class TodoItem(PlannedItem):
    """An item with where it stands."""

    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    status: Status = Status.TODO
    note: str | None = None
    evidence: str | None = None
    updated_at: str | None = None


class TodoList(BaseModel):
    """The file `agent-state/{agent}-todo.json`."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    agent: str
    call_id: str
    created_at: str
    items: tuple[TodoItem, ...]
    current: str | None
    progress_pct: int


class _KeptItem(TodoItem):
    """An item as it stands in the file, with what people added to it."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)


class _KeptList(TodoList):
    """The file with what people added to it. A new list is made without: that takes no time."""

    model_config = ConfigDict(extra="allow", frozen=True, defer_build=True)

    items: tuple[_KeptItem, ...]


class TodoListWritten(Done):
    """`total` items are in the list at `path`."""

    total: int
    path: str


class TodoItemUpdated(Done):
    """The item as it stands, the item to do next, and how much is finished, in percent."""

    item: TodoItem
    current: str | None
    progress_pct: int


class TodoStore:
    """Reads and writes `agent-state/{agent}-todo.json`; old lists go to `agent-state/history/`."""

    def __init__(self, workspace: Workspace, origin: Origin, events: EventLog) -> None:
        self._workspace = workspace
        self._origin = origin
        self._events = events

    def write(self, items: Sequence[PlannedItem]) -> TodoListWritten | Refused:
        """Replace the list by `items`, all of them open."""
        if fault := _fault_in(items):
            return fault
        document = TodoList.model_validate(
            {
                "agent": self._origin.agent,
                "call_id": self._origin.call_id,
                "created_at": timestamp(),
                "items": [vars(item) for item in items],
                "current": items[0].id if items else None,
                "progress_pct": 0,
            }
        )
        with self._workspace.locked(self._workspace.todo_list) as file:
            save(file, document, keep=self._history())
        self._events.emit(self._origin, EventType.TODO_LIST, document.model_dump(include={"items"}))
        return TodoListWritten(total=len(items), path=file.path)

    def update(
        self, item_id: str, status: Status, *, note: str | None, evidence: str | None
    ) -> TodoItemUpdated | Refused:
        """Set where one item stands; a note or evidence given before stays unless replaced.

        What people added to the file stays too.
        """
        with self._workspace.locked(self._workspace.todo_list) as file:
            document = load(file, _KeptList)
            if document is None:
                return refused(f"{file.path}: there is no todo list", "Call write_todolist first.")
            by_id = {item.id: item for item in document.items}
            if fault := _step_fault(by_id, item_id, status):
                return fault
            fields = {"status": status, "note": note, "evidence": evidence}
            given = {name: value for name, value in fields.items() if value is not None}
            item = by_id[item_id].model_copy(update={**given, "updated_at": timestamp()})
            items = tuple(item if old.id == item_id else old for old in document.items)
            result = TodoItemUpdated(
                item=item, current=_current(items), progress_pct=_progress_pct(items)
            )
            update = {
                "items": items, "current": result.current, "progress_pct": result.progress_pct
            }  # fmt: skip
            save(file, document.model_copy(update=update))
        self._events.emit(
            self._origin, EventType.TODO_ITEM, result.model_dump(mode="json", exclude={"ok"})
        )
        return result

    def _history(self) -> Iterator[ProjectFile]:
        """Names for the list that is replaced; more than one for lists of the same moment."""
        stamp = timestamp().replace(":", "").replace(".", "").replace("-", "")
        name = f"{HISTORY_FOLDER}/{self._origin.agent}-todo-{stamp}"
        for suffix in chain([""], (f"-{number}" for number in count(2))):
            yield self._workspace.beside(f"{name}{suffix}.json")


def _fault_in(items: Sequence[PlannedItem]) -> Refused | None:
    ids = [item.id for item in items]
    if len(set(ids)) < len(ids):
        repeated = sorted(item_id for item_id, times in Counter(ids).items() if times > 1)
        return refused(
            f"items: the id {', '.join(repeated)} stands more than once", "Give each item its own."
        )
    needs = {item.id: item.depends_on for item in items if item.depends_on}
    if not needs:
        return None
    if unknown := sorted(set().union(*needs.values()).difference(ids)):
        return refused(
            f"items: depends_on names {', '.join(unknown)}, which is not in the list",
            f"Name items of this list ({_range(ids)}), or add the missing item.",
        )
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as exc:
        return refused(
            f"items: depends_on goes in a circle: {' → '.join(exc.args[1])}",
            "Take one of these dependencies out.",
        )
    return None


def _step_fault(by_id: Mapping[str, TodoItem], item_id: str, status: Status) -> Refused | None:
    if item_id not in by_id:
        known = f"The list holds {_range(list(by_id))}."
        hint = known if by_id else "The list is empty; call write_todolist to plan items."
        return refused(f"id: {item_id} is not in the todo list", hint)
    if status is not Status.DONE:
        return None
    needs = {need: by_id.get(need) for need in by_id[item_id].depends_on}
    open_needs = [
        f"{need} ({item.status if item else 'not in the list'})"
        for need, item in needs.items()
        if item is None or item.status not in _FINISHED
    ]
    if not open_needs:
        return None
    return refused(
        f"status: {item_id} can't be done while it depends on {', '.join(open_needs)}",
        "Finish or skip these first.",
    )


def _current(items: Iterable[TodoItem]) -> str | None:
    """The first open item whose dependencies are met; a blocked one is not for now."""
    known = list(items)
    finished = {item.id for item in known if item.status in _FINISHED}
    for item in known:
        if item.status in (Status.TODO, Status.DOING) and finished.issuperset(item.depends_on):
            return item.id
    return None


def _progress_pct(items: Sequence[TodoItem]) -> int:
    return 100 * sum(item.status in _FINISHED for item in items) // len(items) if items else 0


def _range(ids: Sequence[str]) -> str:
    return ", ".join(ids) if len(ids) <= 8 else f"{ids[0]} … {ids[-1]}, {len(ids)} items"
