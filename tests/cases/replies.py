"""Judges the reply to one request by the keys under `reply`."""

import json
from collections.abc import Callable
from typing import Any

from tests.cases.run import Run
from tests.cases.verdict import Verdict
from tests.processes.server import same

from devloop_tools.protocol.mcp import VERSIONS

Message = dict[str, Any]

SUPPORTED = "server's supported list"


def judge_reply(run: Run, key: str, wanted: dict[str, Any], verdict: Verdict) -> None:
    """The reply whose id has the JSON text `key`: one there must be, and each key must hold."""
    request_id = json.loads(key)
    found = run.replies_to(request_id)
    if not found:
        verdict.faults.append(f"{key}: no reply")
        return
    message = found[0].message or {}
    for name, value in wanted.items():
        if name == "within_s":
            _judge_delay(run, request_id, found[0].at, float(value), verdict)
        elif name in ("not_equals", "equals", "in", "or"):
            _judge_beside(name, value, message, wanted, key, verdict)
        elif judge := _KEYS.get(name):
            if fault := judge(message, value):
                verdict.faults.append(f"{key}: {fault}")
        else:
            verdict.unknown.append(f"reply.{name}")


def text_of(message: Message) -> str:
    """What a reader gets: the text blocks of a result, or the message of an error."""
    if "error" in message:
        return str(message["error"].get("message", ""))
    result = message.get("result")
    blocks = result.get("content", []) if isinstance(result, dict) else []
    return "\n".join(block.get("text", "") for block in blocks if isinstance(block, dict))


def error_code(message: Message) -> Any:
    """The code of an error reply, None for a result."""
    error = message.get("error")
    return error.get("code") if isinstance(error, dict) else None


def is_error_result(message: Message) -> bool:
    """A result that says of itself that it is an error."""
    result = message.get("result")
    return isinstance(result, dict) and result.get("isError") is True


def _judge_delay(run: Run, request_id: Any, at: float, within_s: float, verdict: Verdict) -> None:
    sent = [when for known, _, _, when in run.requests if same(known, request_id)]
    delay = at - (sent[0] if sent else run.waited_from)
    if delay > within_s:
        verdict.faults.append(
            f"{json.dumps(request_id)}: took {delay:.2f} s, {within_s:g} s allowed"
        )


def _judge_beside(
    name: str, value: Any, message: Message, wanted: Message, key: str, verdict: Verdict
) -> None:
    """Keys that qualify another one: `or` is prose, the others compare `result_path`."""
    if name == "or":
        verdict.prose.append("or")
        return
    if "result_path" not in wanted:
        verdict.unknown.append(f"reply.{name}")
        return
    there = _at_path(message.get("result"), str(wanted["result_path"]))
    if name == "in" and isinstance(value, str):
        if value != SUPPORTED:
            verdict.prose.append("in")
            return
        value = list(VERSIONS)
    holds = {
        "equals": lambda: same(there, value),
        "not_equals": lambda: there is not None and not same(there, value),
        "in": lambda: any(same(there, item) for item in value),
    }[name]()
    if not holds:
        verdict.faults.append(f"{key}: {wanted['result_path']} is {there!r}, not {name} {value!r}")


def _at_path(value: Any, path: str) -> Any:
    for step in path.split("."):
        if isinstance(value, list) and step.isdigit() and int(step) < len(value):
            value = value[int(step)]
        elif isinstance(value, dict):
            value = value.get(step)
        else:
            return None
    return value


def _result(message: Message, wanted: Any) -> str | None:
    there = message.get("result")
    if isinstance(wanted, bool):
        return None if ("result" in message) is wanted else f"result: {_shown(message)}"
    if "result" not in message:
        return f"no result: {_shown(message)}"
    bare = there
    if isinstance(there, dict) and "_meta" not in wanted:
        bare = {name: value for name, value in there.items() if name != "_meta"}
    return None if bare == wanted else f"result is {_shown(bare)}"


def _error_code(message: Message, wanted: int) -> str | None:
    return None if error_code(message) == wanted else f"not error {wanted}: {_shown(message)}"


def _error_code_in(message: Message, wanted: list[int]) -> str | None:
    return None if error_code(message) in wanted else f"no error of {wanted}: {_shown(message)}"


def _is_error(message: Message, wanted: bool) -> str | None:
    if "result" in message and is_error_result(message) is wanted:
        return None
    return f"isError is not {wanted}: {_shown(message)}"


def _is_error_or_code(message: Message, wanted: int) -> str | None:
    if is_error_result(message) or error_code(message) == wanted:
        return None
    return f"neither isError nor {wanted}: {_shown(message)}"


def _text_equals(message: Message, wanted: str) -> str | None:
    text = text_of(message)
    if "result" in message and not is_error_result(message) and text == wanted:
        return None
    return f"text is {_shown(text)}, not {_shown(wanted)}"


def _text_contains(message: Message, wanted: str | list[str]) -> str | None:
    missing = [part for part in _listed(wanted) if part not in text_of(message)]
    return f"{missing} not in {_shown(text_of(message))}" if missing else None


def _text_not_contains(message: Message, wanted: str | list[str]) -> str | None:
    there = [part for part in _listed(wanted) if part in text_of(message)]
    return f"{there} in {_shown(text_of(message))}" if there else None


def _no_key(message: Message, wanted: str | list[str]) -> str | None:
    result = message.get("result")
    there = [name for name in _listed(wanted) if isinstance(result, dict) and name in result]
    return f"the result has {there}" if there else None


def _nothing_more(message: Message, wanted: Any) -> str | None:
    return None


_KEYS: dict[str, Callable[[Message, Any], str | None]] = {
    "result": _result,
    "error_code": _error_code,
    "error_code_in": _error_code_in,
    "is_error": _is_error,
    "is_error_or_code": _is_error_or_code,
    "text_equals": _text_equals,
    "text_contains": _text_contains,
    "text_not_contains": _text_not_contains,
    "no_key": _no_key,
    "any": _nothing_more,
    "result_path": _nothing_more,
}


def _listed(value: str | list[str]) -> list[str]:
    return [value] if isinstance(value, str) else value


def _shown(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 200 else f"{text[:200]}…"
