"""From an agent's template to its sandbox: the template's lists, and the folders closed to all."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from devloop_tools.registry.agents import AgentTemplate
from devloop_tools.storage.sandbox import Environment, Sandbox


def sandbox_of(
    template: AgentTemplate,
    project_dir: Path,
    configuration: Sequence[Path],
    unit_id: str | None = None,
) -> Sandbox:
    """What the agent may touch in the project, working on `unit_id` if it works on one.

    Folders of `configuration` that lie inside the project are closed to everybody's writes.
    """
    rules = template.sandbox
    return Sandbox(
        agent=template.short_name,
        write_allow=tuple(
            pattern.replace("{unit_id}", unit_id) if unit_id else pattern
            for pattern in rules.write_allow_list
        ),
        write_deny=(*rules.write_deny_list, *_closed_inside(project_dir, configuration)),
        read_allow=tuple(Path(folder) for folder in rules.read_allow_list),
        configuration=tuple(configuration),
        env=Environment((name, os.environ.get(name)) for name in rules.env),
    )


def _closed_inside(project_dir: Path, configuration: Sequence[Path]) -> Iterator[str]:
    for folder in configuration:
        if folder.is_relative_to(project_dir):
            yield f"{folder.relative_to(project_dir)}/**"
