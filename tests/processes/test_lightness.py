"""What a server does not need is not in its process, and a tool that wants it still gets it."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.processes.server import clean_environment, serving

from devloop_tools.app import TOOLS_PACKAGE
from devloop_tools.registry.discovery import discover

BEFORE_THE_FIRST_ANSWER = "import devloop_tools.cli.serve"
LOADED = """
import os
os.environ["PYDANTIC_DISABLE_PLUGINS"] = "__all__"
import devloop_tools.app
"""


def modules_after(program: str) -> set[str]:
    """The modules that a fresh interpreter holds after `program`, without what it begins with."""
    listing = "import sys; print(*sys.modules)"
    words = [sys.executable, "-c", f"{program}\n{listing}"]
    done = subprocess.run(
        words, capture_output=True, text=True, env=clean_environment(), check=True, timeout=60
    )
    return set(done.stdout.split())


def test_next_to_nothing_is_imported_before_the_first_answer() -> None:
    heavy = {"typing", "dataclasses", "inspect", "threading", "pathlib", "argparse", "logging"}
    heavy |= {"asyncio", "anyio", "pydantic", "orjson", "typer", "jsonrpcserver"}
    assert modules_after(BEFORE_THE_FIRST_ANSWER) & heavy == set()


def test_a_server_holds_no_module_that_only_its_libraries_might_want() -> None:
    unwanted = {"jsonschema", "referencing", "http.server", "typer", "attr"}
    unwanted |= {"selectolax", "w3lib", "rfc8785", "html_to_markdown", "oslash.state"}
    unwanted |= {f"devloop_tools.domain.{name}" for name in ("memories", "runtime_state", "todos")}
    assert modules_after(LOADED) & unwanted == set()


def test_no_class_of_values_is_compiled_for_a_start() -> None:
    """`@frozen` makes the same for a fifth of the time, but for fields that are made anew."""
    program = f"""{LOADED}
import dataclasses, sys
def is_plain(value):
    factories = {{field.default_factory for field in dataclasses.fields(value)}}
    made = factories != {{dataclasses.MISSING}} or hasattr(value, "__post_init__")
    return value.__dataclass_params__.frozen and not made
compiled = {{
    f"{{value.__module__}}.{{name}}"
    for module in list(sys.modules.values())
    for name, value in list(vars(module).items())
    if isinstance(value, type) and "__dataclass_params__" in vars(value) and is_plain(value)
}}
sys.modules.update((f"compiled:{{name}}", sys) for name in compiled)"""
    compiled = [name for name in modules_after(program) if name.startswith("compiled:")]
    assert compiled
    assert [name for name in compiled if name.startswith("compiled:devloop_tools")] == []


def test_tools_are_listed_and_described_without_their_modules() -> None:
    listed = f"""{LOADED}
from pathlib import Path
tools = devloop_tools.app.load_tools(Path("tools.d"))
assert all(entry.published.description for entry in tools.registry.entries.values())
"""
    tools = {entry.source for entry in discover(TOOLS_PACKAGE)}
    assert modules_after(listed) & tools == set()


@pytest.mark.parametrize(
    "expression",
    [
        "__import__('http.server').server.HTTPServer.__module__",
        "__import__('jsonschema').validators.validator_for({}).__module__",
    ],
)
def test_a_tool_gets_the_real_module(expression: str, tmp_path: Path) -> None:
    with serving(tmp_path) as server:
        server.call(1, "f_ret", expr=expression)
        text = server.reply(1)["result"]["content"][0]["text"]
    assert text in ("http.server", "jsonschema.validators")


def test_what_was_loaded_before_is_left_alone() -> None:
    program = f"import http.server\n{LOADED}\nassert http.server.HTTPServer.allow_reuse_address"
    assert "http.server" in modules_after(program)
