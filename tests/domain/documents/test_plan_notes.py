from typing import Any

from devloop_tools.domain.documents.plan_notes import MAX_NOTES, notes_on
from devloop_tools.domain.documents.site import Chapter
from devloop_tools.domain.documents.site_store import PlannedChapter


def notes(planned: list[PlannedChapter], present: list[Chapter]) -> list[str]:
    there: dict[str, Any] = {chapter.id: chapter for chapter in present}
    return notes_on(planned, there, "prd/site.json", "overwrite it.")


def test_what_was_not_given_is_no_difference() -> None:
    there = Chapter(id="登录", title="登录", group="用户", summary="怎样登录")
    assert notes([PlannedChapter(id="登录", title="登录")], [there]) == []


def test_each_field_that_differs_is_named() -> None:
    there = Chapter(id="登录", title="登录", group="用户")
    planned = PlannedChapter(id="登录", title="Login", group="users")
    [note] = notes([planned, PlannedChapter(id="new", title="新")], [there])
    assert note == "登录: group, title stayed as prd/site.json has it; overwrite it."


def test_many_notes_are_counted() -> None:
    planned = [PlannedChapter(id=f"c{i}", title="新") for i in range(MAX_NOTES + 3)]
    lines = notes(planned, [Chapter(id=chapter.id, title="旧") for chapter in planned])
    assert (len(lines), lines[-1]) == (MAX_NOTES + 1, "and 3 more")
