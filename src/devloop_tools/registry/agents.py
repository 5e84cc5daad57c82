"""`tools.d/agents.json`: who the agents are and what each may do."""

import codecs
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from devloop_tools.registry.errors import LoadError
from devloop_tools.settings import short_name


class AgentsError(LoadError):
    """The file can't be used; the text names it, the place and what is allowed."""


class CliSettings(BaseModel):
    """How the agent's CLI is started. Fields of other hosts are kept out of the way."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)

    model: str | None = None
    system_prompt_file: str | None = Field(default=None, alias="systemPromptFile")
    tool_policy: tuple[str | dict[str, Any], ...] = Field(default=(), alias="toolPolicy")


class SandboxSettings(BaseModel):
    """What the agent may touch below the project folder."""

    model_config = ConfigDict(extra="ignore", frozen=True, populate_by_name=True)

    write_allow_list: tuple[str, ...] = Field(default=(), alias="writeAllowList")
    write_deny_list: tuple[str, ...] = Field(default=(), alias="writeDenyList")
    read_allow_list: tuple[str, ...] = Field(default=(), alias="readAllowList")
    env: tuple[str, ...] = ()


class AgentTemplate(BaseModel):
    """One agent. Without `toolPolicy` or `sandbox` it loads and grants nothing."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    id: str = Field(min_length=1)
    name: str | None = None
    cli: CliSettings = CliSettings()
    sandbox: SandboxSettings = SandboxSettings()

    @property
    def short_name(self) -> str:
        """`pm` of `devloop-pm`: what `--agent` and every `agent` field use."""
        return short_name(self.id)


class AgentsFile(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    templates: tuple[AgentTemplate, ...]


def load_agents(path: Path) -> AgentsFile:
    """The agents in `path`. Raises AgentsError that says where the fault is."""
    try:
        content = path.read_bytes()
    except OSError as exc:
        raise AgentsError(
            f"{path}: can't be read ({exc.strerror}); --tools-dir names the folder that holds it"
        ) from None
    try:
        agents = AgentsFile.model_validate_json(content.removeprefix(codecs.BOM_UTF8))
    except ValidationError as exc:
        fault = exc.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(part) for part in fault["loc"])
        raise AgentsError(f"{path}: {where or 'the file'}: {fault['msg']}") from None
    seen: set[str] = set()
    for template in agents.templates:
        if template.short_name in seen:
            raise AgentsError(f"{path}: the template {template.id} stands twice; remove one")
        seen.add(template.short_name)
    return agents


def find_agent(agents: AgentsFile, wanted: str, path: Path) -> AgentTemplate:
    """The template whose id or short name is `wanted`. Raises AgentsError with those there are."""
    for template in agents.templates:
        if wanted in (template.id, template.short_name):
            return template
    known = ", ".join(template.short_name for template in agents.templates) or "none"
    raise AgentsError(f"unknown agent: {wanted}; {path} has: {known}")
