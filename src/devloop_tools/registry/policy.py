"""Who may call what: one agent's `toolPolicy`, read once and frozen.

deny > ask > defer > allow; nothing matched is deny. A rule that is more specific beats nothing.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property, lru_cache
from typing import Any

from devloop_tools.frozen import frozen
from devloop_tools.registry.errors import LoadError
from devloop_tools.registry.globs import glob
from devloop_tools.registry.json_file import JsonFile, Keys, shown
from devloop_tools.registry.names import DEV_LOOP_TOOLS, NATIVE_TOOLS, UPSTREAM_PREFIX
from devloop_tools.registry.rule_index import RuleIndex
from devloop_tools.registry.rules import Decision, Rule, RuleFault, read_rule

NOTHING_MATCHED = "nothing matched"

NATIVE_NAMESPACE = "cli"
"""Whoever knows that a tool is the CLI's own says so: newer CLIs have tools that we don't know."""

_LONGEST_NAME = 256
"""No tool has a longer name."""

_KEPT = 1024
"""Tools whose rules are kept found; a client may ask for any number of names."""

_NOTHING: Mapping[str, Any] = {}


class PolicyError(LoadError):
    """A `toolPolicy` that can't be used; the text names the entry and what was meant."""


@frozen
class Source:
    """Where a policy stands: its file, and the way to the list in it."""

    file: JsonFile | None = None
    keys: Keys = ("toolPolicy",)

    def place(self, position: int, key: str | None = None) -> str:
        """`agents.json:41:9: templates[2].cli.toolPolicy[1]`."""
        keys = (*self.keys, position) if key is None else (*self.keys, position, key)
        where = shown(keys)
        if self.file is None:
            return where
        line, column = self.file.position(*keys)
        return f"{self.file.path.name}:{line}:{column}: {where}"

    def trace(self, rule: Rule | None) -> dict[str, Any]:
        """The file and the position of a rule, or of the list if no rule decided."""
        keys: Keys = self.keys if rule is None else (*self.keys, rule.position)
        if self.file is None:
            return {"position": shown(keys)}
        line, _ = self.file.position(*keys)
        return {"file": self.file.path.name, "line": line, "position": shown(keys)}


@frozen
class Missing:
    """A rule for a tool that isn't there yet: its place in the file, the name and the reason."""

    place: str
    tool: str
    why: str

    def __str__(self) -> str:
        return f"{self.place}: {self.tool} {self.why}"


@frozen
class Verdict:
    """What was decided about a call of a tool, and the rule that decided; None: none matched."""

    tool: str
    decision: Decision
    by: Rule | None

    @property
    def rule(self) -> str:
        """The rule as text."""
        return str(self.by) if self.by else NOTHING_MATCHED

    @property
    def grants(self) -> bool:
        """Whether the call may run with nobody asked."""
        return self.decision in (Decision.ALLOW, Decision.DEFER)


class Table:
    """The rules of one decision, made ready to be searched."""

    def __init__(self, rules: Iterable[Rule]) -> None:
        self.rules = tuple(rules)
        self._names = RuleIndex((r.glob, r) for r in self.rules if r.is_name)
        self._patterns = RuleIndex(
            (r.glob, r) for r in self.rules if not r.is_name and not r.is_namespace
        )
        self._namespaces = RuleIndex((r.glob, r) for r in self.rules if r.is_namespace)

    def matching(self, tool: str, namespace: str, *, by_name: bool) -> list[Rule]:
        """The rules that mean the tool; `by_name`: no pattern counts."""
        named = self._names.matching(tool)
        if by_name:
            return named
        return [*named, *self._patterns.matching(tool), *self._namespaces.matching(namespace)]


@frozen
class Policy:
    """What one agent may do. `missing` are names that grant nothing until they exist; `notes` are
    rules that may not do what was meant, as lines for a person."""

    agent: str
    tables: Mapping[Decision, Table]
    source: Source = Source()
    missing: tuple[Missing, ...] = ()
    notes: tuple[str, ...] = ()

    @cached_property
    def native_tools(self) -> Sequence[str]:
        """The CLI's own tools of which some call may run, or be asked about; sorted."""
        return sorted(name for name in NATIVE_TOOLS if self.allows(name))

    @cached_property
    def reads_arguments(self) -> bool:
        """Whether any rule depends on the arguments of a call."""
        return any(rule.when for table in self.tables.values() for rule in table.rules)

    def decide(
        self, tool: str, arguments: Mapping[str, Any] = _NOTHING, *, namespace: str = ""
    ) -> Verdict:
        """The verdict on a call of one of our tools, of another server's or of a native one."""
        for rule in self._found(tool, namespace):
            if not rule.when or rule.holds(arguments):
                return Verdict(tool, rule.decision, rule)
        return Verdict(tool, Decision.DENY, None)

    def allows(self, tool: str, namespace: str = "") -> bool:
        """Whether some call of the tool may run, perhaps after somebody was asked."""
        rules = self._found(tool, namespace)
        refused = any(rule.decision is Decision.DENY and not rule.when for rule in rules)
        return not refused and any(rule.decision is not Decision.DENY for rule in rules)

    def gates(self, tool: str, namespace: str = "") -> bool:
        """Whether somebody may be asked about a call of the tool: it is never deferred then."""
        return any(rule.decision is Decision.ASK for rule in self._found(tool, namespace))

    def trace(self, verdict: Verdict) -> dict[str, Any]:
        """The verdict for the record: tool, decision, rule, and where the rule stands."""
        known = {"tool": verdict.tool, "decision": verdict.decision.value, "rule": verdict.rule}
        return known | self.source.trace(verdict.by)

    @cached_property
    def _found(self) -> Callable[[str, str], tuple[Rule, ...]]:
        """The rules that mean a tool, the strongest decisions first; kept for the next call."""
        return lru_cache(maxsize=_KEPT)(self._search)

    def _search(self, tool: str, namespace: str) -> tuple[Rule, ...]:
        if len(tool) > _LONGEST_NAME:
            return ()
        native = tool in NATIVE_TOOLS or namespace == NATIVE_NAMESPACE
        found = {
            # No pattern grants a native tool.
            decision: table.matching(tool, namespace, by_name=native and not decision.restricts)
            for decision, table in self.tables.items()
        }
        asks = found[Decision.ASK]
        if native and not found[Decision.ALLOW] and not any(rule.is_name for rule in asks):
            # Nor does one that asks; it gates what is granted by name.
            found[Decision.ASK] = []
        return tuple(rule for decision in Decision for rule in found[decision])


def build_policy(
    agent: str,
    entries: Sequence[str | dict[str, Any]],
    existing: Collection[str],
    *,
    packs_failed: bool = False,
    source: Source | None = None,
) -> Policy:
    """The policy of `agent`, where `existing` are the names in the registry.

    A name of the catalogue that isn't built yet grants nothing. Raises PolicyError for a name
    that nobody knows; where a pack has failed, it may be its, and is kept as missing.
    """
    source = source or Source()
    rules: list[Rule] = []
    missing: list[Missing] = []
    for position, entry in enumerate(entries):
        try:
            rule = read_rule(entry, position)
            if why := _missing(rule, existing, packs_failed=packs_failed):
                missing.append(Missing(source.place(position), rule.tool, why))
            rules.append(rule)
        except RuleFault as exc:
            raise PolicyError(f"{source.place(position, exc.key)}: {exc}") from None
    notes = [
        f"{source.place(rule.position)}: {note}"
        for rule in rules
        if (note := _note(rule, existing))
    ]
    tables = {each: Table(rule for rule in rules if rule.decision is each) for each in Decision}
    return Policy(agent, tables, source, tuple(missing), tuple(notes))


def _missing(rule: Rule, existing: Collection[str], *, packs_failed: bool) -> str | None:
    """Why the one tool that the rule names isn't there yet. Raises RuleFault if none can be."""
    if not rule.is_name or rule.tool in existing or rule.tool in DEV_LOOP_TOOLS:
        return None
    if rule.tool in NATIVE_TOOLS:
        if rule.decision is Decision.DEFER:
            raise RuleFault(f"{rule.tool} is the CLI's own, and our search can't defer it")
        return None
    if rule.tool.startswith(UPSTREAM_PREFIX):
        return "is of an upstream that isn't known yet"
    if packs_failed:
        return "is in no pack that could be loaded"
    known = [*existing, *DEV_LOOP_TOOLS, *NATIVE_TOOLS]
    close = get_close_matches(rule.tool, known, n=1)
    raise RuleFault(
        f"unknown tool: {rule.tool}" + (f" (did you mean {close[0]}?)" if close else "")
    )


def _note(rule: Rule, existing: Collection[str]) -> str | None:
    if rule.matches_everything:
        effect = {
            Decision.DENY: "matches every tool, so that the agent can call none",
            Decision.ASK: "matches every tool, so that somebody is asked about each call",
            Decision.DEFER: "matches every tool that isn't the CLI's own",
            Decision.ALLOW: "matches every tool that isn't the CLI's own, later ones too",
        }
        return f"{rule.tool} {effect[rule.decision]}"
    if rule.is_name or rule.is_namespace or rule.tool.startswith(UPSTREAM_PREFIX):
        return None
    pattern = glob(rule.glob)
    known = {*existing, *DEV_LOOP_TOOLS, *(NATIVE_TOOLS if rule.decision.restricts else ())}
    if any(pattern.fullmatch(name) for name in known):
        return None
    return f"{rule.tool} matches no tool that is known"
