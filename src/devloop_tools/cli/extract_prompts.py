"""`devloop-tools extract-prompts`: the agents' system prompts out of the pages of a PRD site."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from devloop_tools.cli import options
from devloop_tools.domain.documents.agent_pages import Prompt, agent_of, prompt_in
from devloop_tools.storage.errors import ExpectedFailure, StorageError, ToolSandboxError
from devloop_tools.storage.files import ProjectFile

EXIT_PARTLY = 1
_WHO = "extract-prompts"


def extract_prompts(
    site: Annotated[Path, typer.Argument(help="The folder of the site, with agents-*.html.")],
    out: Annotated[
        Path, typer.Option(help="Where to write: OUT/devloop-<agent>/prompt.md a page.")
    ],
) -> None:
    """Write each agent's page as the Markdown of a system prompt, and say what was left out.

    A prompt that is there already as it should be is not written again. Exit 0: all pages were
    read; 1: some could not be; 2: there are none.
    """
    if not site.is_dir():
        sys.stderr.write(f"devloop-tools: {site} is no folder; name the folder of the site\n")
        raise typer.Exit(options.EXIT_ERROR)
    pages = sorted(path.name for path in site.glob("agents-*.html") if agent_of(path.name))
    if not pages:
        sys.stderr.write(f"devloop-tools: {site}: no page agents-<agent>.html in it\n")
        raise typer.Exit(options.EXIT_ERROR)
    failed = False
    for name in pages:
        try:
            sys.stdout.write(_extract(site, name, out))
        except (ExpectedFailure, StorageError, ToolSandboxError) as exc:
            sys.stderr.write(f"✗ {exc}\n")
            failed = True
    raise typer.Exit(EXIT_PARTLY if failed else 0)


def _extract(site: Path, name: str, out: Path) -> str:
    """The line that says what became of a page."""
    prompt = prompt_in(ProjectFile(site, (name,), _WHO).read() or b"", name)
    if not prompt.markdown:
        return f"- {name}: no text in it; nothing written{_further(prompt)}\n"
    _make(out)
    file = ProjectFile(out, (f"devloop-{agent_of(name)}", "prompt.md"), _WHO)
    content = prompt.markdown.encode()
    if file.read() == content:
        return f"= {file.path}: as it was{_further(prompt)}\n"
    file.replace(content)
    return f"✓ {file.path}: {len(content)} bytes{_further(prompt)}\n"


def _make(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise StorageError(f"{folder}: {exc.strerror}") from exc


def _further(prompt: Prompt) -> str:
    skipped = ", ".join(f"{number} {tag}" for tag, number in sorted(prompt.skipped.items()))
    notes = [f"left out: {skipped}" if skipped else "", prompt.note]
    return "".join(f"; {note}" for note in notes if note)
