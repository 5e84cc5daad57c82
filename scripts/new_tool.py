"""Writes a new tool and its test: `python scripts/new_tool.py FAMILY NAME` (docs write_page).

The tool works as it is written: after `make snapshots`, `make quick` is green before its first line
is changed.
"""

import keyword
import re
import subprocess
import sys
from pathlib import Path
from string import Template

from devloop_tools.registry.names import NAMESPACES

ROOT = Path(__file__).resolve().parents[1]
TOOLS = ROOT / "src/devloop_tools/tools"
LONGEST = 50

TOOL = Template('''\
"""$name: say in one line what it does."""

from pydantic import Field

from devloop_tools.toolkit import READ, Done, ToolContext, ToolInput, tool


class ${model}Input(ToolInput):
    text: str = Field(min_length=1, max_length=200, description="Say in one line what it is.")


class ${model}Result(Done):
    text: str


@tool(READ)
def $name(args: ${model}Input, ctx: ToolContext) -> ${model}Result:
    """Say what it does, when to use it and what comes back; the model reads this."""
    return ${model}Result(text=args.text)
''')

TEST = Template("""\
from pathlib import Path

from devloop_tools.toolkit.testing import call_tool, tool_context
from devloop_tools.tools.$family.$name import $name


async def test_${name}_returns_the_text(tmp_path: Path) -> None:
    result = await call_tool($name, {"text": "中文 and English"}, tool_context(tmp_path))

    assert result.model_dump() == {"ok": True, "text": "中文 and English"}
""")

NEXT = """\
next:
  1. write the tool; its work belongs in src/devloop_tools/domain
  2. make snapshots, and read the diff
  3. grant it in tools.d/agents.json"""


def main(arguments: list[str]) -> None:
    """Write both files; never over one that is there."""
    if len(arguments) != 2 or not all(map(is_name, arguments)):
        sys.exit(f"usage: new_tool.py FAMILY NAME, both at most {LONGEST} of a-z, 0-9 and _")
    family, name = arguments
    if known := [path for path in TOOLS.glob("*/*.py") if path.stem == name]:
        sys.exit(f"{known[0].relative_to(ROOT)} is there already; a name is one tool's alone")
    words = {"family": family, "name": name, "model": name.title().replace("_", "")}
    files = {
        TOOLS / family / f"{name}.py": TOOL.substitute(words),
        ROOT / "tests/tools" / family / f"test_{name}.py": TEST.substitute(words),
    }
    if present := [path for path in files if path.exists()]:
        sys.exit(f"{present[0].relative_to(ROOT)} is there already")
    for path, text in files.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(ROOT)}")
    (TOOLS / family / "__init__.py").touch()
    # Long names need other line breaks than the templates have.
    ruff = str(Path(sys.executable).with_name("ruff"))
    subprocess.run([ruff, "format", "--quiet", *map(str, files)], check=True)
    print(NEXT)
    if family not in NAMESPACES:
        print(f"  4. add {family} to NAMESPACES in src/devloop_tools/registry/names.py")


def is_name(word: str) -> bool:
    """Whether a module and a function can be called so."""
    plain = re.fullmatch(r"[a-z][a-z0-9_]*", word) and len(word) <= LONGEST
    return bool(plain) and not keyword.iskeyword(word)


if __name__ == "__main__":
    main(sys.argv[1:])
