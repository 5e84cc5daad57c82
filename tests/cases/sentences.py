"""Judges sentences: values in words whose form occurs in the cases. Others are left to a test."""

import re
from collections.abc import Callable

from tests.cases.leftovers import changes, files_are_whole
from tests.cases.replies import error_code, is_error_result, text_of
from tests.cases.run import Run


def judge_sentence(run: Run, key: str, sentence: str) -> list[str] | None:
    """The faults that `sentence` finds; None where its form is not known."""
    for about, form, judge in _FORMS:
        if re.fullmatch(about, key) and (match := re.match(form, sentence)):
            return [f"{key}: {fault}" for fault in judge(run, key, match)]
    return None


def knows_sentence(key: str, sentence: str) -> bool:
    """Whether `judge_sentence` can judge it."""
    return any(re.fullmatch(about, key) and re.match(form, sentence) for about, form, _ in _FORMS)


def _nothing_happened(run: Run, _key: str, _match: re.Match[str]) -> list[str]:
    return [f"changed: {', '.join(done)}"] if (done := changes(run.project)) else []


def _file_is_absent(run: Run, _key: str, match: re.Match[str]) -> list[str]:
    return [f"{match[1]} is there"] if (run.project / match[1]).exists() else []


def _files_are_whole(run: Run, _key: str, _match: re.Match[str]) -> list[str]:
    return files_are_whole(run.project)


def _refused_without_id(run: Run, key: str, match: re.Match[str]) -> list[str]:
    """The message could not be read, so its error has id null and its own id has no reply."""
    request_id, code = int(key.removeprefix("id_")), int(match[1])
    faults = []
    if not any((line.message or {}).get("id") is None and error_code(line.message or {}) == code
               for line in run.replies):  # fmt: skip
        faults.append(f"no {code} with id null")
    if run.replies_to(request_id):
        faults.append(f"{request_id} has a reply of its own")
    return faults


def _refused_by_name(run: Run, key: str, match: re.Match[str]) -> list[str]:
    request_id, code, name = int(key.removeprefix("id_")), int(match[1]), match[2]
    replies = [line.message or {} for line in run.replies_to(request_id)]
    if not replies:
        return ["no reply"]
    if not (is_error_result(replies[0]) or error_code(replies[0]) == code):
        return [f"neither isError nor {code}"]
    return [] if name in text_of(replies[0]) else [f"the text doesn't name {name}"]


def _each_answers_with_a_result(run: Run, _key: str, match: re.Match[str]) -> list[str]:
    faults = []
    for request_id, _, _, sent_at in run.requests:
        replies = run.replies_to(request_id)
        if not replies:
            faults.append(f"{request_id}: no reply")
        elif "result" not in (message := replies[0].message or {}) or is_error_result(message):
            faults.append(f"{request_id}: {text_of(message)[:100]}")
        elif replies[0].at - sent_at > float(match[1]):
            faults.append(f"{request_id}: took longer than {match[1]} s")
    return faults


def _each_has_one_reply(run: Run, key: str, _match: re.Match[str]) -> list[str]:
    """A text, or an error that names a type: silence and a second reply are what must not be."""
    first, last = map(int, key.removeprefix("each_of_").split("_"))
    faults = []
    for request_id in range(first, last + 1):
        replies = [line.message or {} for line in run.replies_to(request_id)]
        asked = any(known == request_id for known, *_ in run.requests)
        if asked and len(replies) != 1:
            faults.append(f"{request_id}: {len(replies)} replies")
        elif asked and not text_of(replies[0]).strip():
            faults.append(f"{request_id}: no text")
    return faults


_Judge = Callable[[Run, str, "re.Match[str]"], list[str]]

_FORMS: tuple[tuple[str, str, _Judge], ...] = (
    ("side_effects", r"none\b", _nothing_happened),
    ("side_effects", r"file '([^']+)' absent", _file_is_absent),
    ("file", r"valid JSON\b", _files_are_whole),
    (r"id_\d+", r"(-?\d+) with id null", _refused_without_id),
    (r"id_\d+", r"isError or (-?\d+) naming (\w+)", _refused_by_name),
    ("each", r"a result .*within ([\d.]+) s", _each_answers_with_a_result),
    (r"each_of_\d+_\d+", r"a sensible text form or isError", _each_has_one_reply),
)
