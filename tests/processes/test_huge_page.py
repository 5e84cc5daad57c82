"""A page of one line of 50 MB: it takes seconds, so it stands apart."""

from pathlib import Path

from tests.tools.docs.test_bad_pages import try_every_tool

from devloop_tools.toolkit.testing import tool_context


async def test_one_line_of_fifty_megabytes_costs_no_byte(tmp_path: Path) -> None:
    ctx = tool_context(tmp_path, write_allow=["prd/**", "sdd/**"])
    await try_every_tool(b"<p>" + b"x" * 50_000_000, ctx, tmp_path)
