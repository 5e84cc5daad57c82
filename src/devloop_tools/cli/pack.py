"""`devloop-tools pack check FILE`: say what is wrong with a drop-in tool file."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from devloop_tools.app import TOOLS_PACKAGE
from devloop_tools.cli import options
from devloop_tools.registry.discovery import discover
from devloop_tools.registry.pack_verdicts import PackVerdicts, verdicts_file
from devloop_tools.registry.packs import check_pack
from devloop_tools.registry.registry import Registry

app = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Drop-in tools.")


@app.callback()
def _group() -> None:
    """Drop-in tools: Python files in the packs folder of the tools folder."""


@app.command()
def check(file: Annotated[Path, typer.Argument(help="The pack, a Python file.")]) -> None:
    """Import a pack in a child and say what it offers and what is wrong: exit 0 or 2."""
    wrong = "" if file.is_file() else "is not a file"
    if file.name.startswith("_"):
        wrong = "is what packs share, by its name, and no pack"
    if wrong:
        sys.stderr.write(f"devloop-tools: {file} {wrong}\n")
        raise typer.Exit(options.EXIT_ERROR)
    verdicts = PackVerdicts(verdicts_file(os.environ))
    packs = check_pack(file, Registry(discover(TOOLS_PACKAGE)).entries, verdicts)
    for entry in packs.entries:
        summary = entry.definition.description.splitlines()[0]
        sys.stdout.write(f"✓ {entry.name} · {summary}\n")
    for resource in packs.resources:
        sys.stdout.write(f"✓ resource {resource.uri}\n")
    for prompt in packs.prompts:
        sys.stdout.write(f"✓ prompt {prompt.name}\n")
    for fault in packs.faults:
        sys.stderr.write(f"✗ {fault}\n")
    raise typer.Exit(options.EXIT_ERROR if packs.faults else 0)
