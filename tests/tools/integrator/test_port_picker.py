import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from devloop_tools.domain.running.ports import DEFAULT_RANGE
from devloop_tools.toolkit import ToolContext, ToolValidationError
from devloop_tools.toolkit.arguments import InvalidArguments
from devloop_tools.toolkit.testing import call_tool
from devloop_tools.tools.integrator.port_picker import port_picker


@contextmanager
def listening(family: socket.AddressFamily, host: str, port: int = 0) -> Iterator[int]:
    with socket.socket(family) as server:
        server.bind((host, port))
        server.listen()
        yield server.getsockname()[1]


def free_run(length: int) -> int:
    """The first of so many ports in a row that nobody uses."""
    for first in range(31_000, 32_000, length):
        with socket.socket() as probe:
            try:
                probe.bind(("0.0.0.0", first))
            except OSError:
                continue
        return first
    raise AssertionError("no port is free")


async def test_each_name_has_a_port_and_a_url(ctx: ToolContext) -> None:
    result = await call_tool(port_picker, {"names": ["todo-be", "登录"]}, ctx)
    first, last = DEFAULT_RANGE
    assert result.ok
    assert len(set(result.ports.values())) == 2
    assert all(first <= port <= last for port in result.ports.values())
    assert result.urls["登录"] == f"http://localhost:{result.ports['登录']}"


@pytest.mark.parametrize(("host", "shown"), [("::1", "[::1]"), ("0.0.0.0", "localhost")])
async def test_the_url_is_one_that_reaches_the_host(
    ctx: ToolContext, host: str, shown: str
) -> None:
    result = await call_tool(port_picker, {"names": ["a"], "host": host}, ctx)
    assert result.urls == {"a": f"http://{shown}:{result.ports['a']}"}


async def test_no_call_gives_a_port_again_while_its_server_lives(ctx: ToolContext) -> None:
    first = free_run(4)
    ports = [
        (await call_tool(port_picker, {"names": ["a"], "range": [first, first + 3]}, ctx)).ports
        for _ in range(4)
    ]
    assert sorted(port["a"] for port in ports) == list(range(first, first + 4))


async def test_a_full_range_says_who_has_the_ports(ctx: ToolContext) -> None:
    first = free_run(3)
    arguments = {"names": ["a", "b"], "range": [first, first + 2]}
    with listening(socket.AF_INET, "127.0.0.1", first):
        assert (await call_tool(port_picker, arguments, ctx)).ok
        refusal = await call_tool(port_picker, arguments, ctx)
    assert refusal.reason == (
        f"range: 2 ports are wanted and 0 of the 3 from {first} to {first + 2} are free:"
        " 2 are leased in this project, 1 are used by others."
    )
    assert "wider" in refusal.hint


@pytest.mark.parametrize(
    ("family", "host"),
    [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "0.0.0.0"),
     (socket.AF_INET6, "::1"), (socket.AF_INET6, "::")],
)  # fmt: skip
async def test_a_port_taken_on_either_family_is_not_given_h_j02(
    ctx: ToolContext, family: socket.AddressFamily, host: str
) -> None:
    with listening(family, host) as port:
        refusal = await call_tool(port_picker, {"names": ["a"], "range": [port, port]}, ctx)
    assert not refusal.ok


async def test_a_lease_ends_with_its_holder(ctx: ToolContext) -> None:
    first = free_run(1)
    arguments = {"names": ["a"], "range": [first, first]}
    assert (await call_tool(port_picker, arguments, ctx)).ok
    with ctx.database.transaction() as connection:
        # The pid lives, but is another process than the one that leased.
        connection.execute("UPDATE port_leases SET started = 'an earlier start'")
    assert (await call_tool(port_picker, arguments, ctx)).ports == {"a": first}


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"names": []}, "names"),
        ({"names": ["a/b"]}, r"names\[0\]"),
        ({"names": ["a"], "range": [80, 90]}, r"range\[0\]"),
        ({"names": ["a"], "range": [20_000]}, "range"),
        ({"names": ["a"], "host": "example.org"}, "host"),
        ({"names": ["a"] * 101}, "names"),
    ],
)
async def test_odd_arguments_are_named(
    ctx: ToolContext, arguments: dict[str, Any], field: str
) -> None:
    with pytest.raises(InvalidArguments, match=f"- {field}: "):
        await call_tool(port_picker, arguments, ctx)


@pytest.mark.parametrize(
    ("arguments", "field"),
    [({"names": ["a"], "range": [30_000, 20_000]}, "range"), ({"names": ["a", "a"]}, "names")],
)
async def test_what_contradicts_itself_is_named(
    ctx: ToolContext, arguments: dict[str, Any], field: str
) -> None:
    with pytest.raises(ToolValidationError, match=f"^{field}: "):
        await call_tool(port_picker, arguments, ctx)
