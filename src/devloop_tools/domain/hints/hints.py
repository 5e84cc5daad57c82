"""Hints from failures: where to look, what differs, what the contract says, what to do next."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from devloop_tools.domain.contracts.contract import Contract
from devloop_tools.domain.hints.contract_passage import contract_of, passage
from devloop_tools.domain.hints.difference import Difference, difference
from devloop_tools.domain.hints.failures import Failed
from devloop_tools.domain.hints.phrases import EN, ZH, Phrases
from devloop_tools.domain.hints.suspicion import Group, grouped
from devloop_tools.domain.hints.unit_code import UnitCode, read_code
from devloop_tools.storage.workspace import Workspace

MAX_TEXT = 1_200
"""Characters of all hints together."""

_LONG, _SHORT = 140, 44
"""Characters of one value: in a whole hint, in a short one."""

_CHINESE = re.compile("[\u3400-\u9fff]")
_LETTER = re.compile(r"[^\W\d_]")
_NO_MEMBER = re.compile(r"is not (?:a function|iterable|a constructor|callable|subscriptable)|"
                        r"has no attribute|unexpected keyword|takes \d+ positional")  # fmt: skip
_OF_NOTHING = re.compile(r"of (?:undefined|null)\b|'NoneType'|KeyError|is not defined|Cannot read")
_UNIT = re.compile(r"(?:^|/)units/([^/]+)/")


@dataclass(frozen=True, slots=True)
class _Told:
    """One group and what is known of it."""

    at: int
    group: Group
    phrases: Phrases
    passage: str

    @property
    def first(self) -> Failed:
        """The failure that tells most: one with values before one without."""
        return max(self.group.failures, key=_has_values)


def hints(
    workspace: Workspace, failures: Sequence[Failed], unit_id: str | None, max_hints: int
) -> str:
    """At most `max_hints` hints in at most 1,200 characters, in the failures' language."""
    unit_id = unit_id or _unit_of(failures) or workspace.unit_id
    contract = contract_of(workspace, unit_id) if unit_id else None
    phrases = ZH if _is_chinese(failures, contract) else EN
    if not failures:
        return phrases.nothing
    code = _code(workspace, failures, unit_id)
    groups = grouped(failures, code)
    told = [
        _Told(at, group, phrases, _passage(contract, group))
        for at, group in enumerate(groups[:max_hints], 1)
    ]
    return _fitted(told, len(groups), phrases)


def _unit_of(failures: Sequence[Failed]) -> str | None:
    return next((match[1] for one in failures if (match := _UNIT.search(one.file))), None)


def _code(workspace: Workspace, failures: Sequence[Failed], unit_id: str | None) -> UnitCode:
    folder = f"units/{unit_id}" if unit_id else ""
    named = [*(one.file for one in failures), *(f.file for one in failures for f in one.frames)]
    inside = [path for path in named if path and not path.startswith(("/", "node:"))]
    if not any(path.startswith(f"{folder}/") for path in inside) and inside:
        folder = PurePosixPath(inside[0]).parts[0] if "/" in inside[0] else "."
        folder = "." if folder in ("test", "tests", "src", "__tests__") else folder
    return read_code(workspace, folder, inside)


def _is_chinese(failures: Sequence[Failed], contract: Contract | None) -> bool:
    """Whether people write Chinese here: in a fifth of the letters of names and contract."""
    text = "".join(f"{one.full_name}{one.message}" for one in failures[:50])
    text += contract.model_dump_json()[:20_000] if contract else ""
    return len(_CHINESE.findall(text)) * 5 > len(_LETTER.findall(text))


def _passage(contract: Contract | None, group: Group) -> str:
    if contract is None:
        return ""
    names = [suspect.defined.part.name for suspect in group.suspects]
    text = "\n".join(f"{one.full_name}\n{one.message}" for one in group.failures[:20])
    return passage(contract, names, text)


def _has_values(one: Failed) -> bool:
    """Whether it shows two values, and in what they differ."""
    return one.expected is not None and one.actual is not None and one.expected != one.actual


def _runner(first: Failed) -> str:
    """The command that runs a failing test again."""
    if not first.file:
        return ""
    if first.file.endswith(".py"):
        return f"pytest {'::'.join([first.file, *first.full_name.split(' > ')])}"
    title = first.title.replace('"', '\\"')
    return f"npx vitest run {PurePosixPath(first.file).name}" + (f' -t "{title}"' if title else "")


def _fitted(told: Sequence[_Told], groups: int, phrases: Phrases) -> str:
    """Whole hints as far as there is room, then short ones, then only their number."""
    for whole in range(len(told), -1, -1):
        parts = [_whole(one) if at < whole else _brief(one) for at, one in enumerate(told)]
        text = _joined(parts, groups, phrases)
        if len(text) <= MAX_TEXT and (whole or len(told) == 1):
            return text
    parts = [_whole(told[0]), *map(_brief, told[1:])]
    while len(parts) > 1 and len(_joined(parts, groups, phrases)) > MAX_TEXT:
        parts.pop()
    return _joined(parts, groups, phrases)[:MAX_TEXT]


def _joined(parts: Sequence[str], groups: int, phrases: Phrases) -> str:
    left = groups - len(parts)
    return "\n".join([*parts, *([phrases.more.format(count=left)] if left > 0 else [])])


def _whole(told: _Told) -> str:
    one, phrases = told.first, told.phrases
    lines = [_where(told), phrases.told.format(failure=_failure(one, phrases))]
    if _has_values(one):
        lines.append(_values(one, phrases, _LONG))
    if told.passage:
        lines.append(phrases.contract.format(passage=_cut(told.passage, 2 * _LONG)))
    lines.append(phrases.cause.format(cause=_cause(told)))
    lines.append(_next(told))
    return "\n   ".join(lines)


def _failure(one: Failed, phrases: Phrases) -> str:
    """The test, its place and the message, as far as they are known."""
    test = _cut(one.full_name, _LONG)
    named = " ".join(filter(None, (f"“{test}”" if test else "", _cut(one.place, _LONG))))
    return phrases.colon.join(filter(None, (named, _cut(one.message, _LONG))))


def _brief(told: _Told) -> str:
    one = told.first
    values = ""
    if _has_values(one):
        values = f" {_values(one, told.phrases, _SHORT)}"
    return f"{_where(told)}: {_cut(one.message, 2 * _SHORT)}{values}"


def _where(told: _Told) -> str:
    group, phrases = told.group, told.phrases
    count = len(group.failures)
    also = phrases.also.format(count=count) if count > 1 else ""
    if not group.suspects:
        place = _cut(told.first.place or told.first.full_name or told.first.kind, _LONG)
        return phrases.where_unknown.format(at=told.at, place=place) + also
    first, *others = (suspect.defined for suspect in group.suspects)
    where = phrases.where.format(
        at=told.at, name=first.part.name, path=_cut(first.path, _LONG), line=first.part.start
    )
    names = ", ".join(f"`{other.part.name}`" for other in others)
    return where + (phrases.beside.format(names=names) if others else "") + also


def _values(one: Failed, phrases: Phrases, most: int) -> str:
    return phrases.values.format(
        expected=_cut(one.expected or "", most), actual=_cut(one.actual or "", most)
    )


def _cause(told: _Told) -> str:
    one, phrases = told.first, told.phrases
    sort = difference(one.expected, one.actual)
    key = sort.value if sort and sort is not Difference.OTHER else one.kind
    if _NO_MEMBER.search(one.message):
        key = "no_member"
    elif _OF_NOTHING.search(one.message):
        key = "of_nothing"
    cause = phrases.causes.get(key, phrases.causes["error"])
    if not told.group.suspects:
        return cause
    suspect = told.group.suspects[0]
    return cause + phrases.spread.format(
        failing=suspect.failing,
        failures=len(told.group.failures),
        passing=suspect.passing,
        name=suspect.defined.part.name,
    )


def _next(told: _Told) -> str:
    phrases, runner = told.phrases, _cut(_runner(told.first), 2 * _LONG)
    if not told.group.suspects:
        return phrases.run.format(what=runner) if runner else phrases.run_all
    first = told.group.suspects[0].defined
    read = phrases.read.format(
        path=_cut(first.path, _LONG), start=first.part.start, end=first.part.end
    )
    return f"{read}; {runner}" if runner else read


def _cut(text: str, most: int) -> str:
    """One line, at most so long."""
    line = " ".join(text.split())
    return line if len(line) <= most else f"{line[: most - 1]}…"
