"""`tools.d/agents.json`: who the agents are and what each may do.

Read with the standard library alone: the guard needs it within milliseconds.
"""

from collections.abc import Iterator
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from devloop_tools.frozen import frozen
from devloop_tools.registry.errors import LoadError
from devloop_tools.registry.json_file import JsonFile, Keys, parse_json_file, shown
from devloop_tools.settings import short_name

_TEMPLATE_KEYS = ("id", "name", "type", "devloop", "cli", "sandbox")
_CLI_KEYS = ("model", "systemPromptFile", "toolPolicy")
_SANDBOX_KEYS = ("cwd", "writeAllowList", "writeDenyList", "readAllowList", "env")
_CLOSE = 0.85
"""How alike a key must be to one of ours to be taken for a slip, not for another host's."""


class AgentsError(LoadError):
    """The file can't be used; the text names it, the line and what is allowed."""


@frozen
class CliSettings:
    """How the agent's CLI is started. Fields of other hosts are kept out of the way."""

    model: str | None = None
    system_prompt_file: str | None = None
    tool_policy: tuple[str | dict[str, Any], ...] = ()


@frozen
class SandboxSettings:
    """What the agent may touch below the project folder; `env` are variables units may see."""

    write_allow_list: tuple[str, ...] = ()
    write_deny_list: tuple[str, ...] = ()
    read_allow_list: tuple[str, ...] = ()
    env: tuple[str, ...] = ()


@frozen
class AgentTemplate:
    """One agent. Without `toolPolicy` or `sandbox` it loads and grants nothing."""

    id: str
    name: str | None = None
    cli: CliSettings = CliSettings()
    sandbox: SandboxSettings = SandboxSettings()
    position: int = 0
    """Which of the file's templates it is."""

    @property
    def short_name(self) -> str:
        """`pm` of `devloop-pm`: what `--agent` and every `agent` field use."""
        return short_name(self.id)

    @property
    def policy_keys(self) -> Keys:
        """Where its `toolPolicy` stands in the file."""
        return ("templates", self.position, "cli", "toolPolicy")


@frozen
class AgentsFile:
    """The whole file. `foreign` says which keys are not ours, a line each; they are ignored."""

    templates: tuple[AgentTemplate, ...]
    file: JsonFile | None = None
    foreign: tuple[str, ...] = ()


def load_agents(path: Path) -> AgentsFile:
    """The agents in `path`. Raises AgentsError, JsonFault that say where the fault is."""
    try:
        content = path.read_bytes()
    except OSError as exc:
        raise AgentsError(
            f"{path}: can't be read ({exc.strerror}); --tools-dir names the folder that holds it"
        ) from None
    return parse_agents(path, content)


def parse_agents(path: Path, content: bytes) -> AgentsFile:
    """The same of bytes that were read before from `path`. Raises AgentsError, JsonFault."""
    file = parse_json_file(path, content)
    part = _Part(file, (), file.value)
    templates = tuple(_template(each) for each in part.object().member("templates").parts())
    seen: dict[str, AgentTemplate] = {}
    for template in templates:
        if first := seen.get(template.short_name):
            line, _ = file.position("templates", first.position)
            at = _Part(file, ("templates", template.position, "id"), None)
            at.refuse(f"the template {template.id} stands twice, first in line {line}; remove one")
        seen[template.short_name] = template
    return AgentsFile(templates, file, tuple(_foreign(part)))


def find_agent(agents: AgentsFile, wanted: str, path: Path) -> AgentTemplate:
    """The template whose id or short name is `wanted`. Raises AgentsError with those there are."""
    for template in agents.templates:
        if wanted in (template.id, template.short_name):
            return template
    known = ", ".join(template.short_name for template in agents.templates) or "none"
    raise AgentsError(f"unknown agent: {wanted}; {path} has: {known}")


@frozen
class _Part:
    """One value of the file and the way to it."""

    file: JsonFile
    keys: Keys
    value: Any

    def refuse(self, reason: str) -> NoReturn:
        where = f"{shown(self.keys)}: " if self.keys else ""
        raise AgentsError(f"{self.file.place(*self.keys)}: {where}{reason}")

    def object(self) -> "_Part":
        if not isinstance(self.value, dict):
            self.refuse("an object is expected")
        return self

    def has(self, key: str) -> bool:
        return self.value.get(key) is not None

    def member(self, key: str) -> "_Part":
        if key not in self.value:
            self.refuse(f"{key} is missing")
        return _Part(self.file, (*self.keys, key), self.value[key])

    def parts(self) -> "Iterator[_Part]":
        if not isinstance(self.value, list):
            self.refuse("a list is expected")
        for position, value in enumerate(self.value):
            yield _Part(self.file, (*self.keys, position), value)

    def text(self) -> str:
        if not isinstance(self.value, str) or not self.value:
            self.refuse("a text is expected")
        return self.value

    def texts(self, key: str) -> tuple[str, ...]:
        return tuple(part.text() for part in self.member(key).parts()) if self.has(key) else ()

    def optional(self, key: str) -> str | None:
        return self.member(key).text() if self.has(key) else None


def _template(part: _Part) -> AgentTemplate:
    part = part.object()
    _refuse_slips(part, _TEMPLATE_KEYS)
    position = part.keys[-1]
    return AgentTemplate(
        id=part.member("id").text(),
        name=part.optional("name"),
        cli=_cli(part.member("cli").object()) if part.has("cli") else CliSettings(),
        sandbox=_sandbox(part.member("sandbox").object())
        if part.has("sandbox")
        else SandboxSettings(),
        position=int(position),
    )


def _cli(part: _Part) -> CliSettings:
    _refuse_slips(part, _CLI_KEYS)
    entries = part.member("toolPolicy").parts() if part.has("toolPolicy") else ()
    return CliSettings(
        model=part.optional("model"),
        system_prompt_file=part.optional("systemPromptFile"),
        tool_policy=tuple(map(_policy_entry, entries)),
    )


def _policy_entry(part: _Part) -> str | dict[str, Any]:
    if not isinstance(part.value, str | dict):
        part.refuse("a tool's name or a rule is expected")
    return part.value


def _sandbox(part: _Part) -> SandboxSettings:
    for key in part.value:
        if key not in _SANDBOX_KEYS:
            # A list that nobody reads would leave open what it was to close.
            known = ", ".join(_SANDBOX_KEYS)
            part.member(key).refuse(f"unknown key; a sandbox has: {known}")
    return SandboxSettings(
        write_allow_list=part.texts("writeAllowList"),
        write_deny_list=part.texts("writeDenyList"),
        read_allow_list=part.texts("readAllowList"),
        env=part.texts("env"),
    )


def _refuse_slips(part: _Part, known: tuple[str, ...]) -> None:
    for key in part.value:
        if key not in known and (close := _meant(key, known)):
            part.member(key).refuse(f"unknown key (did you mean {close}?)")


def _meant(key: str, known: tuple[str, ...]) -> str | None:
    folded = {name.lower(): name for name in known}
    close = get_close_matches(key.lower().replace("_", ""), folded, n=1, cutoff=_CLOSE)
    return folded[close[0]] if close else None


def _foreign(part: _Part) -> Iterator[str]:
    """A line for each key that another host may know."""
    ours: list[tuple[_Part, tuple[str, ...]]] = [(part, ("templates",))]
    for template in part.member("templates").parts():
        ours.append((template, _TEMPLATE_KEYS))
        if template.has("cli"):
            ours.append((template.member("cli"), _CLI_KEYS))
    for place, known in ours:
        for key in place.value:
            if key not in known:
                keys = (*place.keys, key)
                yield f"{part.file.place(*keys)}: {shown(keys)}: not ours, and ignored"
