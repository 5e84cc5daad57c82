"""Judges a played case: what must always hold, then every key of its `expect`."""

import json
import re
from collections.abc import Callable
from typing import Any

from tests.cases import leftovers, listings
from tests.cases.case import Case
from tests.cases.replies import error_code, judge_reply, text_of
from tests.cases.run import BARRIER, Run
from tests.cases.sentences import judge_sentence, knows_sentence
from tests.cases.verdict import Verdict
from tests.processes.server import same, strict_json

PATIENCE_S = 15.0
"""How long a reply without `within_s` is waited for."""


def judge(run: Run, verdict: Verdict) -> None:
    """Add to `verdict` what is wrong with `run`."""
    _judge_always(run, verdict)
    for key, value in run.case.expect.items():
        if key == "why":
            continue
        if judge_key := _KEYS.get(key):
            judge_key(run, value, verdict)
        elif not isinstance(value, str):
            verdict.unknown.append(key)
        else:
            _judge_words(run, key, value, verdict)


def awaited(run: Run) -> bool:
    """Whether all that is expected to come has come."""
    expect = run.case.expect
    keys = [*expect.get("reply", {}), *expect.get("same_result", ())]
    ids = [json.loads(key) for key in keys] + expect.get("reply_exact_ids", [])
    counts = _listed(expect.get("count_matching", ()))
    unanswered = (
        method == "tools/list" and not run.replies_to(request_id)
        for request_id, method, _, _ in run.requests
    )
    notified = expect.get("notifications", {})
    return (
        all(run.replies_to(request_id) for request_id in ids)
        and all(len(_matching(run, wanted)) >= wanted["n"] for wanted in counts)
        and all(_matching(run, wanted) for wanted in _listed(expect.get("error_line", ())))
        and len(_notified(run, notified)) >= notified.get("n_min", 0)
        and not any(unanswered)
        and (bool(ids) or _all_answered(run))
    )


def words_left(case: Case) -> list[str]:
    """Keys of `expect` in words that no judge knows: a test with the case's id must hold them."""
    left = [
        key
        for key, value in case.expect.items()
        if key != "why"
        and key not in _KEYS
        and isinstance(value, str)
        and not knows_sentence(key, value)
    ]
    specs = case.expect.get("reply", {}).values()
    return left + ["or" for spec in specs if "or" in spec]


def limit_s(expect: dict[str, Any], patience_s: float) -> float:
    """How long to wait for it; a reply that is late is told from one that never comes."""
    within = [
        spec["within_s"] + 1 for spec in expect.get("reply", {}).values() if "within_s" in spec
    ]
    return float(max([*within, patience_s]))


def _all_answered(run: Run) -> bool:
    """For cases that name no id: every request has its reply, unless it must not have one."""
    silent = run.case.expect.get("no_reply", [])
    cancelled = [
        sent.message["params"].get("requestId")
        for sent in run.sent
        if isinstance(sent.message, dict) and sent.message.get("method", "").endswith("cancelled")
    ]
    return all(
        run.replies_to(request_id) or request_id in silent or request_id in cancelled
        for request_id, *_ in run.requests
        if _is_id(request_id)
    )


def _judge_always(run: Run, verdict: Verdict) -> None:
    ends = "exit" in run.case.expect
    if not run.shook_hands:
        verdict.faults.append("initialize was not answered")
    for line in run.lines:
        if line.fault:
            verdict.faults.append(f"stdout: {line.fault}: {line.raw[:80]!r}")
    if run.rest and not _lets_go_of_stdout(run):
        verdict.faults.append(f"stdout: the last line has no LF: {run.rest[:80]!r}")
    _judge_ids(run, verdict)
    if not ends and not run.alive_after_steps:
        verdict.faults.append(f"the process is gone: {run.ended}")
    elif not ends and not run.answered_last_ping:
        verdict.faults.append("the last ping was not answered")
    elif not ends and (run.ended is None or run.ended.code != 0):
        verdict.faults.append(f"the end of input did not end it with code 0: {run.ended}")
    if "Traceback" in run.stderr and not _a_tool_crashed(run):
        verdict.faults.append("stderr: a Traceback for bad input")


def _judge_ids(run: Run, verdict: Verdict) -> None:
    """No reply twice, none to an id that was never sent, no error out of nothing."""
    asked = [request_id for request_id, *_ in run.requests] + [BARRIER, "init", *_batched_ids(run)]
    seen: list[Any] = []
    for line in run.replies:
        reply_id = (line.message or {}).get("id")
        if reply_id is None:
            continue
        if any(same(reply_id, other) for other in seen):
            verdict.faults.append(f"a second reply to {json.dumps(reply_id)}")
        if not any(same(reply_id, other) for other in asked):
            verdict.faults.append(f"a reply to {json.dumps(reply_id)}, which was never asked")
        seen.append(reply_id)
    nameless = [line for line in run.replies if (line.message or {}).get("id") is None]
    malformed = sum(not _is_well_formed(sent.message) for sent in run.sent)
    if len(nameless) > malformed:
        verdict.faults.append(f"{len(nameless)} errors with id null for {malformed} bad lines")
    _judge_extra(run, nameless, verdict)


def _judge_extra(run: Run, nameless: list[Any], verdict: Verdict) -> None:
    """`extra_ok` names the errors with id null that may come besides the expected ones."""
    expect = run.case.expect
    if "extra_ok" not in expect:
        return
    allowed = [*_listed(expect["extra_ok"]), *_listed(expect.get("count_matching", ()))]
    allowed += _listed(expect.get("error_line", ()))
    for line in nameless:
        if not any(_fits(line.message or {}, pattern) for pattern in allowed):
            verdict.faults.append(f"extra_ok: {line.raw[:120]!r} is not among them")


def _judge_words(run: Run, key: str, sentence: str, verdict: Verdict) -> None:
    faults = judge_sentence(run, key, sentence)
    if faults is None:
        verdict.prose.append(key)
    else:
        verdict.faults += faults


def _lets_go_of_stdout(run: Run) -> bool:
    return any("close_stdout_reader" in step for step in run.case.input["steps"])


def _a_tool_crashed(run: Run) -> bool:
    """Whether some result names an error id under which stderr has the whole story."""
    texts = [text_of(line.message or {}) for line in run.replies]
    known = {match[1] for text in texts for match in re.finditer(r"error id: (\S+)", text)}
    return any(error_id in run.stderr for error_id in known)


def _batched_ids(run: Run) -> list[Any]:
    batches = [sent.message for sent in run.sent if isinstance(sent.message, list)]
    return [item.get("id") for batch in batches for item in batch if isinstance(item, dict)]


def _is_id(value: Any) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool)


def _is_well_formed(message: Any) -> bool:
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        return False
    return isinstance(message.get("method"), str) and _is_id(message.get("id", 0))


def _fits(message: dict[str, Any], pattern: dict[str, Any]) -> bool:
    return ("id" not in pattern or same(message.get("id"), pattern["id"])) and error_code(
        message
    ) == pattern.get("error_code", error_code(message))


def _matching(run: Run, pattern: dict[str, Any]) -> list[Any]:
    return [line for line in run.replies if _fits(line.message or {}, pattern)]


def _notified(run: Run, wanted: dict[str, Any]) -> list[Any]:
    found = []
    for line in run.lines:
        message = line.message or {}
        if "id" in message or message.get("method") != wanted.get("method"):
            continue
        params = message.get("params") or {}
        if "token_exact" in wanted and not same(params.get("progressToken"), wanted["token_exact"]):
            continue
        found.append(line)
    return found


def _listed(value: Any) -> list[Any]:
    return [value] if isinstance(value, dict) else list(value)


# The keys of `expect`


def _reply(run: Run, wanted: dict[str, dict[str, Any]], verdict: Verdict) -> None:
    for key, spec in wanted.items():
        judge_reply(run, key, spec, verdict)


def _alive(run: Run, wanted: bool, verdict: Verdict) -> None:
    if (run.alive_after_steps and run.answered_last_ping) is not wanted:
        verdict.faults.append(f"alive is not {wanted}")


def _stdout_bytes(run: Run, wanted: dict[str, Any], verdict: Verdict) -> None:
    everything = b"\n".join([*(line.raw for line in run.lines), run.rest])
    for key, value in wanted.items():
        match key:
            case "must_not_contain_hex" | "must_not_contain_hex_any":
                for digits in [value] if isinstance(value, str) else value:
                    if bytes.fromhex(digits) in everything:
                        verdict.faults.append(f"stdout holds the bytes {digits}")
            case "each_line" if str(value).startswith("json-object"):
                continue  # held of every case, see _judge_always
            case "inner_text" if "strict JSON" in str(value):
                _judge_inner_texts(run, verdict)
            case _:
                verdict.unknown.append(f"stdout_bytes.{key}")


def _judge_inner_texts(run: Run, verdict: Verdict) -> None:
    for line in run.replies:
        text = text_of(line.message or {}) if "result" in (line.message or {}) else ""
        if text[:1] in ("{", "["):
            try:
                strict_json(text)
            except ValueError as exc:
                verdict.faults.append(f"a text that looks like JSON is none: {exc}")


def _extra_ok(run: Run, wanted: Any, verdict: Verdict) -> None:
    """Held in _judge_always; here only its form is looked at."""
    if any(set(pattern) - {"id", "error_code"} for pattern in _listed(wanted)):
        verdict.unknown.append("extra_ok")


def _count_matching(run: Run, wanted: Any, verdict: Verdict) -> None:
    for pattern in _listed(wanted):
        if (count := len(_matching(run, pattern))) != pattern["n"]:
            verdict.faults.append(f"count_matching: {count} of {pattern}")


def _error_line(run: Run, wanted: Any, verdict: Verdict) -> None:
    for pattern in _listed(wanted):
        if not _matching(run, pattern):
            verdict.faults.append(f"error_line: nothing like {pattern}")


def _reply_exact_ids(run: Run, wanted: list[Any], verdict: Verdict) -> None:
    for request_id in wanted:
        if not run.replies_to(request_id):
            verdict.faults.append(f"reply_exact_ids: none for {request_id}")


def _no_reply(run: Run, wanted: list[Any], verdict: Verdict) -> None:
    for request_id in wanted:
        if run.replies_to(request_id):
            verdict.faults.append(f"no_reply: {request_id} has one")


def _at_most_one_reply_per_id(run: Run, wanted: bool, verdict: Verdict) -> None:
    """Held of every case, see _judge_ids."""
    if wanted is not True:
        verdict.unknown.append("at_most_one_reply_per_id")


def _notifications(run: Run, wanted: dict[str, Any], verdict: Verdict) -> None:
    for key in sorted(wanted.keys() - {"method", "token_exact", "n_min", "n_max", "before_reply"}):
        verdict.unknown.append(f"notifications.{key}")
    found = _notified(run, wanted)
    if not wanted.get("n_min", 0) <= len(found) <= wanted.get("n_max", len(found)):
        verdict.faults.append(f"notifications: {len(found)} of {wanted}")
    if wanted.get("before_reply"):
        replies = [line for asked in _with_token(run, wanted) for line in run.replies_to(asked)]
        late = any(run.lines.index(line) > run.lines.index(replies[0]) for line in found if replies)
        if late or not replies:
            verdict.faults.append("notifications: not all came before the reply")


def _with_token(run: Run, wanted: dict[str, Any]) -> list[Any]:
    """Ids of the requests that gave the token."""
    found = []
    for request_id, _, params, _ in run.requests:
        meta = params.get("_meta") if isinstance(params, dict) else None
        token = meta.get("progressToken") if isinstance(meta, dict) else None
        if same(token, wanted.get("token_exact", token)) and token is not None:
            found.append(request_id)
    return found


def _stderr_must_not_contain(run: Run, wanted: list[str], verdict: Verdict) -> None:
    for text in wanted:
        if text in run.stderr:
            verdict.faults.append(f"stderr holds {text}")


def _no_forged(run: Run, wanted: bool, verdict: Verdict) -> None:
    """No JSON object that a tool was made to print came out as a message."""
    printed = [json.dumps(forged, sort_keys=True) for forged in _objects_in_arguments(run)]
    came = [line for line in run.lines if json.dumps(line.message, sort_keys=True) in printed]
    if bool(came) is wanted or not printed:
        verdict.faults.append(f"no_forged: {[line.raw[:80] for line in came] or 'nothing printed'}")


def _objects_in_arguments(run: Run) -> list[Any]:
    objects = []
    for _, _, params, _ in run.requests:
        arguments = params.get("arguments") if isinstance(params, dict) else None
        texts = arguments.values() if isinstance(arguments, dict) else ()
        for line in (line for text in texts if isinstance(text, str) for line in text.split("\n")):
            try:
                value = strict_json(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                objects.append(value)
    return objects


def _same_result(run: Run, wanted: list[str], verdict: Verdict) -> None:
    results = []
    for key in wanted:
        replies = run.replies_to(json.loads(key))
        results.append((replies[0].message or {}).get("result") if replies else None)
    if None in results or any(result != results[0] for result in results):
        verdict.faults.append(f"same_result: {json.dumps(results, ensure_ascii=False)[:300]}")


_KEYS: dict[str, Callable[[Run, Any, Verdict], None]] = {
    "reply": _reply,
    "alive": _alive,
    "stdout_bytes": _stdout_bytes,
    "extra_ok": _extra_ok,
    "count_matching": _count_matching,
    "error_line": _error_line,
    "reply_exact_ids": _reply_exact_ids,
    "no_reply": _no_reply,
    "at_most_one_reply_per_id": _at_most_one_reply_per_id,
    "notifications": _notifications,
    "stderr_must_not_contain": _stderr_must_not_contain,
    "no_forged": _no_forged,
    "same_result": _same_result,
    "for_each_tool": listings.for_each_tool,
    "names_unique": listings.names_unique,
    "not_listed": listings.not_listed,
    "entries_after": leftovers.entries_after,
    "exit": leftovers.exit_,
    "cpu_spin": leftovers.cpu_spin,
    "children_left": leftovers.children_left,
}
