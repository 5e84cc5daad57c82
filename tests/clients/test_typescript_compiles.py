"""What contract_bridge writes passes the TypeScript compilers, and its client works."""

import asyncio
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.clients.conftest import missing
from tests.conformance import node
from tests.domain.bridge.contracts import PLAIN, hostile
from tests.tools.coder.test_contract_bridge import bridge, promise

from devloop_tools.toolkit.testing import tool_context

pytestmark = pytest.mark.clients

HANG_S = 60
FLAGS = "--strict --exactOptionalPropertyTypes --noUncheckedIndexedAccess --target es2022".split()

CALLER = """
import { Client } from "./client.js";
import { routes, type Todo } from "./types.js";

export async function first(client: Client): Promise<Todo | undefined> {
  const answer = await client.getTodosById({ id: "1" });
  return answer.status === 200 ? answer.body : undefined;
}

async function main(): Promise<void> {
  const asked: string[] = [];
  const client = new Client(async ({ method, path, body }) => {
    asked.push(`${method} ${path} ${JSON.stringify(body)}`);
    return { status: 200, body: { id: 1, title: "买菜" } };
  });
  const todo = await first(client);
  await client.getTodos({ q: "菜 & b" });
  await client.postTodos({ title: "x", priority: "low" });
  console.log(JSON.stringify([todo?.title, asked, routes.length]));
}

declare const console: { log(text: string): void };
void main();
"""
"""Compiles only if a status tells the body's type."""

WRONG = CALLER.replace('"low"', '"none"')


def compiled(folder: Path, package: str, *flags: str) -> subprocess.CompletedProcess[str]:
    try:
        words = node.command(package)
    except node.NodeMissing as exc:
        missing(str(exc))
    # Of several programs of the package, tsc is the compiler.
    words = [words[0], words[1].replace("tsserver", "tsc")]
    files = sorted(path.name for path in folder.glob("*.ts"))
    return subprocess.run(
        [*words, *FLAGS, "--module", "nodenext", *flags, *files],
        cwd=folder, capture_output=True, text=True, timeout=HANG_S,
    )  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "units/todo-be/contract"


def made(root: Path, contract: Any) -> None:
    promise(root, contract)
    ctx = tool_context(root, "coder", unit_id="todo-be", write_allow=["units/**"])
    assert asyncio.run(bridge(ctx, "typescript")).ok


@pytest.mark.parametrize("package", ["typescript", "typescript-5"])
@pytest.mark.parametrize("contract", [PLAIN, hostile()], ids=["plain", "hostile"])
def test_it_compiles(contract: Any, package: str, tmp_path: Path, folder: Path) -> None:
    made(tmp_path, contract)
    run = compiled(folder, package, "--noEmit")
    assert (run.stdout, run.returncode) == ("", 0)


def test_a_caller_compiles_runs_and_is_held_to_the_contract(tmp_path: Path, folder: Path) -> None:
    made(tmp_path, PLAIN)
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "main.ts").write_text(CALLER, encoding="utf-8")
    run = compiled(folder, "typescript")
    assert (run.stdout, run.returncode) == ("", 0)
    out = subprocess.run(
        [node.node(), "main.js"], cwd=folder, capture_output=True, text=True, timeout=HANG_S
    )
    assert out.stdout == (
        '["买菜",["GET /todos/1 undefined","GET /todos?q=%E8%8F%9C%20%26%20b undefined",'
        '"POST /todos {\\"title\\":\\"x\\",\\"priority\\":\\"low\\"}"],4]\n'
    ), out.stderr

    (folder / "main.ts").write_text(WRONG, encoding="utf-8")
    run = compiled(folder, "typescript", "--noEmit")
    assert run.returncode != 0
    assert '"none"' in run.stdout
