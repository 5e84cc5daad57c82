"""What `serve` does after its first reply: read the flags, load everything, serve."""

import argparse
import gc
import logging
import os
import sys
import traceback
from types import ModuleType
from typing import NoReturn

from devloop_tools.rpc.first_lines import FirstLines
from devloop_tools.rpc.meanwhile import answering
from devloop_tools.rpc.stderr import StderrPump, ensure_stderr
from devloop_tools.rpc.stdio import StdioTransport, restore_blocking, speak_utf8, take_over
from devloop_tools.server.era import ALL, PROTOCOLS
from devloop_tools.server.greeting import answer
from devloop_tools.settings import Flags, Settings, SettingsError, resolve

EXIT_FAULT = 1
EXIT_USAGE = 2


def serve_after(lines: FirstLines, arguments: list[str]) -> int:
    """Serve what comes after `lines`. Returns the exit code.

    0 after serving, 2 with a line on stderr for what can't be used, 1 with a traceback for a fault.
    """
    ensure_stderr()
    speak_utf8()
    pump = StderrPump()
    try:
        settings = resolve(parse(arguments), os.environ)
        if lines.ended and not lines.rest.strip():
            return 0
        pump.start()
        read_fd, write_fd = take_over()
        try:
            _load_and_serve(settings, lines, read_fd, write_fd)
        finally:
            restore_blocking(write_fd)
    except (UsageError, SettingsError) as exc:
        sys.stderr.write(f"devloop-tools serve: {exc}\n")
        return EXIT_USAGE
    except Exception:
        # The top of the process: the traceback must get out before the process ends.
        traceback.print_exc()
        return EXIT_FAULT
    finally:
        sys.stderr.flush()
        pump.drain()
    return 0


class UsageError(Exception):
    """Flags, files or policy that can't be used; the text is one line for a person."""


def parse(arguments: list[str]) -> Flags:
    """The flags of `serve`. Raises UsageError; --help prints and ends the process."""
    parser = _Parser(
        prog="devloop-tools serve",
        description="Answer JSON-RPC on stdin for one agent, until the input ends.",
        allow_abbrev=False,
    )
    for name, text in _FLAGS.items():
        parser.add_argument(f"--{name}", help=text)
    parser.add_argument(
        "--for-cli", action="store_true", help="Set by cli-args: the client is the Claude CLI."
    )
    parser.add_argument(
        "--protocol",
        choices=PROTOCOLS,
        default=ALL,
        help="Which revisions of MCP are spoken: with a handshake, the stateless one, or all.",
    )
    parser.add_argument(
        "--host", action="store_true", help="The client is a host that says in ctx who acts."
    )
    return Flags(**vars(parser.parse_args(arguments)))


_FLAGS = {
    "agent": "Short name or id: pm, devloop-pm.",
    "project-dir": "The project folder. Default: CLAUDE_PROJECT_DIR, else the current one.",
    "data-dir": "The folder that holds companies/.",
    "company": "The company's id, with --data-dir.",
    "project": "The project's id, with --data-dir.",
    "unit": "The unit of a coder or tester.",
    "session": "The session's id. Default: CLAUDE_CODE_SESSION_ID, else a new one.",
    "config-digest": "Set by cli-args: what configuration inside the project must be.",
    "tools-dir": "The folder with agents.json and packs. Default: the bundled one.",
}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message}; see devloop-tools serve --help")


def _look_for_no_plugins() -> None:
    """A server takes no plugins of pydantic: to find some, it would read the metadata of every
    installed package, through modules that nothing else here needs.

    Not the variable that pydantic has for this: it would go on to the children of tools.
    """
    loader = ModuleType("pydantic.plugin._loader")
    vars(loader)["get_plugins"] = tuple
    sys.modules.setdefault(loader.__name__, loader)


def _load_and_serve(settings: Settings, lines: FirstLines, read_fd: int, write_fd: int) -> None:
    # Nothing that is loaded here is garbage before the process ends.
    gc.disable()
    _look_for_no_plugins()
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")

    def greet(method: str, params: dict[str, object]) -> dict[str, object] | None:
        return answer(method, params, settings.protocol, initialized=lines.initialized)

    with answering(lines, greet, read_fd, write_fd):
        import anyio

        from devloop_tools.app import build, serve
        from devloop_tools.launch.errors import LaunchError
        from devloop_tools.registry.errors import LoadError
        from devloop_tools.server.actors import UnknownActor

        try:
            application = build(settings)
        except (LaunchError, LoadError, UnknownActor) as exc:
            raise UsageError(str(exc)) from exc
    for complaint in application.complaints():
        sys.stderr.write(f"devloop-tools serve: {complaint}\n")
    gc.enable()
    gc.freeze()

    async def run() -> None:
        transport = StdioTransport(
            read_fd, write_fd, lines.rest, begun=lines.begun, ended=lines.ended
        )
        await serve(application, transport, lines.answered)

    anyio.run(run)
