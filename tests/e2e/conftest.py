"""The real CLI, a scripted model and a project for each test."""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from tests.e2e.host import Host, Signals
from tests.e2e.messages_stub import MessagesStub, Step, served

from devloop_tools.launch.claude_binary import bundled_claude

SLOW_TOOLS = Path(__file__).parent / "slow_tools"

MakeHost = Callable[..., tuple[Host, MessagesStub]]


@pytest.fixture(scope="session")
def claude() -> str:
    """The CLI in the SDK; without it the test is skipped, or fails where it is required."""
    path = bundled_claude()
    if path is None:
        reason = "claude-agent-sdk with its CLI is not installed (make e2e installs it)"
        if os.environ.get("DEVLOOP_REQUIRE_E2E"):
            pytest.fail(reason)
        pytest.skip(reason)
    return path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "项目 demo"
    folder.mkdir()
    return folder


@pytest.fixture
def make_host(claude: str, project: Path, tmp_path: Path) -> Iterator[MakeHost]:
    """`make_host(*steps)`: a host whose model says these."""
    scratch = tmp_path / "home"
    scratch.mkdir()
    with ExitStack() as stack:

        def make(*steps: Step) -> tuple[Host, MessagesStub]:
            stub = MessagesStub(steps)
            return Host(claude, project, scratch, stack.enter_context(served(stub))), stub

        yield make


@pytest.fixture
def slow_host(make_host: MakeHost) -> MakeHost:
    """The same, with the tools of the test pack."""

    def make(*steps: Step) -> tuple[Host, MessagesStub]:
        host, stub = make_host(*steps)
        host.tools_dir = SLOW_TOOLS
        return host, stub

    return make


@pytest.fixture
def signals(project: Path) -> Iterator[Signals]:
    pipe = Signals(project)
    yield pipe
    pipe.close()
