"""`devloop-tools demo`: the whole development loop on a small project, shown as it goes."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from devloop_tools.demo.agent_server import DemoFailed
from devloop_tools.demo.loop import run_loop
from devloop_tools.demo.screen import Screen

EXIT_FAILED = 1


def demo(
    folder: Annotated[Path, typer.Argument(help="The project folder: a new or an empty one.")],
    *,
    typescript: Annotated[
        bool, typer.Option(help="A second unit in TypeScript; needs Node 20 and Vitest.")
    ] = False,
    mended: Annotated[
        bool, typer.Option(help="Start with the mended code: no bug is found then.")
    ] = False,
) -> None:
    """Run the loop: six agents design, write, test, integrate, triage and mend a real service."""

    def write(text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()

    try:
        run_loop(folder, Screen(write), typescript=typescript, mended=mended)
    except DemoFailed as exc:
        sys.stderr.write(f"devloop-tools: {exc}\n")
        raise typer.Exit(EXIT_FAILED) from None
