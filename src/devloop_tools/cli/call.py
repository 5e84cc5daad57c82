"""`devloop-tools call`: one call of one tool, through the same path as the server's."""

import os
import sys
from typing import Annotated

import anyio
import orjson
import typer

from devloop_tools.app import build, call_once
from devloop_tools.cli import options
from devloop_tools.protocol.errors import INVALID_PARAMS
from devloop_tools.protocol.messages import JsonObject
from devloop_tools.settings import Flags, resolve

EXIT_NOT_OK = 1


def call(
    tool: Annotated[str, typer.Argument(help="The tool's name.")],
    arguments: Annotated[str, typer.Argument(help="Its arguments, as a JSON object.")] = "{}",
    *,
    agent: options.Agent,
    project_dir: options.ProjectDir = None,
    data_dir: options.DataDir = None,
    company: options.Company = None,
    project: options.Project = None,
    unit: options.Unit = None,
    session: options.Session = None,
    tools_dir: options.ToolsDir = None,
) -> None:
    """Call one tool and print its result: exit 0 ok, 1 `ok: false`, 2 an error."""
    flags = Flags(
        agent=agent,
        project_dir=project_dir,
        data_dir=data_dir,
        company=company,
        project=project,
        unit=unit,
        session=session,
        tools_dir=tools_dir,
    )
    with options.reported():
        settings = resolve(flags, os.environ)
        options.refuse_agents(settings.project_dir, "call")
        application = build(settings)
        options.complain(application.complaints())
        body = anyio.run(call_once, application, tool, options.json_object(arguments))
    raise typer.Exit(_printed(body, agent))


def _shown(block: JsonObject) -> str:
    return str(block["text"]) if block["type"] == "text" else orjson.dumps(block).decode()


def _printed(body: JsonObject, agent: str) -> int:
    if error := body.get("error"):
        # The server's answer keeps from the model what else there is; a person may know it.
        unknown = error["code"] == INVALID_PARAMS
        known = f"; devloop-tools dump-schema --agent {agent} lists its tools" if unknown else ""
        sys.stderr.write(f"devloop-tools: {error['message']}{known}\n")
        return options.EXIT_ERROR
    result = body["result"]
    text = "\n".join(_shown(block) for block in result["content"])
    if result["isError"]:
        sys.stderr.write(f"{text}\n")
        return options.EXIT_ERROR
    # A program may read it: UTF-8, whatever the environment says.
    sys.stdout.buffer.write(f"{text}\n".encode())
    structured = result.get("structuredContent") or {}
    return EXIT_NOT_OK if structured.get("ok") is False else 0
