"""What hints are made of, as a caller gives it: a report in any form, or failures alone."""

from collections.abc import Sequence
from typing import Any

import orjson
from pydantic import ValidationError

from devloop_tools.domain.hints.failures import Failed, failed_in, failed_test
from devloop_tools.domain.reports.model import Failure, Format, ReportParsed
from devloop_tools.domain.reports.reading import read_report
from devloop_tools.domain.reports.sources import Source
from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.storage.workspace import Workspace

MAX_PATH = 1024


def failures_given(
    workspace: Workspace,
    report: str | dict[str, Any] | None,
    failures: Sequence[dict[str, Any]] | None,
) -> list[Failed]:
    """What a call gives, which is one of the two. Raises ExpectedFailure otherwise."""
    match report, failures:
        case None, list(given):
            return _listed(given)
        case str() | dict(), None:
            return _reported(workspace, report)
        case _:
            reason = "report, failures: exactly one of them is needed."
            raise ExpectedFailure(reason, "Leave the other out.")


def _reported(workspace: Workspace, report: str | dict[str, Any]) -> list[Failed]:
    """The failures in what parse_vitest returned, in a report's text, or in the file of one."""
    if isinstance(report, dict):
        return _parsed(report)
    text = report.strip()
    if text.startswith("{") and '"failures"' in text and isinstance(found := _value(text), dict):
        return _parsed(found)
    if text.startswith("[") and isinstance(listed := _value(text), list):
        return _listed(listed)
    is_path = (
        text and "\n" not in text and len(text) <= MAX_PATH and not text.startswith(("{", "<"))
    )
    source = Source(text, workspace.readable(text)) if is_path else Source("report", text=report)
    return failed_in(read_report(workspace, source, Format.AUTO, None))


def _listed(failures: Sequence[Any]) -> list[Failed]:
    """Failures as parse_vitest lists them; more fields than are known are left alone."""
    found: list[Failed] = []
    for at, failure in enumerate(failures):
        if not isinstance(failure, dict):
            raise _faulty(f"failures[{at}]: it is no object.")
        try:
            found.append(failed_test(Failure.model_validate({"full_name": "", **failure})))
        except ValidationError as exc:
            raise _unknown(f"failures[{at}]", exc) from exc
        if not found[-1].tells:
            raise _faulty(f"failures[{at}]: it names no test, no file and no message.")
    return found


def _value(text: str) -> Any:
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError:
        return None


def _parsed(report: dict[str, Any]) -> list[Failed]:
    lists = {"failures", "suite_errors", "unhandled_errors"} & report.keys()
    if not lists:
        raise ExpectedFailure(
            "report: it has no failures, suite_errors or unhandled_errors.",
            "Give what parse_vitest returned, or the path of the runner's report.",
        )
    known = {name: report[name] for name in lists}
    empty = ("reasons", "failures", "suite_errors", "unhandled_errors", "flaky")
    blank: dict[str, Any] = {name: [] for name in empty}
    told: dict[str, Any] = {
        "passed": None,
        "format": "json",
        "tool": "",
        "totals": {},
        "snapshots": {},
    }
    try:
        return failed_in(ReportParsed.model_validate({**blank, **told, **known}))
    except ValidationError as exc:
        raise _unknown("report", exc) from exc


def _unknown(name: str, exc: ValidationError) -> ExpectedFailure:
    fault = exc.errors(include_url=False, include_input=False)[0]
    where = ".".join([name, *(str(step) for step in fault["loc"])])
    return _faulty(f"{where}: {fault['msg']}.")


def _faulty(reason: str) -> ExpectedFailure:
    return ExpectedFailure(
        reason,
        "A failure is {full_name, file, line, message, expected, actual, stack}, as parse_vitest "
        "lists it.",
    )
