"""The agents' system prompts as MCP prompts: `pm`, `architect` and so on."""

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import anyio

from devloop_tools.registry.agents import AgentTemplate
from devloop_tools.storage.errors import CorruptFile
from devloop_tools.toolkit import ToolContext
from devloop_tools.toolkit.content import Text
from devloop_tools.toolkit.prompts import PromptDefinition, PromptMessage


def agent_prompts(templates: Iterable[AgentTemplate], folder: Path) -> Iterator[PromptDefinition]:
    """One for each agent whose `systemPromptFile` is in the tools folder."""
    for template in templates:
        name = template.cli.system_prompt_file
        if name and (folder / name).is_file():
            yield _prompt(template, folder / name)


def _prompt(template: AgentTemplate, file: Path) -> PromptDefinition:
    async def render(_args: dict[str, str], _ctx: ToolContext) -> Sequence[PromptMessage]:
        try:
            text = await anyio.Path(file).read_text(encoding="utf-8")
        except (OSError, ValueError) as exc:
            raise CorruptFile(f"{file.name} can't be read", "Mend it in the tools folder.") from exc
        return [PromptMessage("user", Text(text))]

    title = template.name or template.short_name
    return PromptDefinition(template.short_name, f"Work as {title}.", (), render)
