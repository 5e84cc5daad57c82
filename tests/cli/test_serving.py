"""The flags of `serve`."""

import pytest

from devloop_tools.cli.serving import UsageError, parse
from devloop_tools.settings import Flags


def test_every_flag_is_read() -> None:
    given = (
        "--agent pm --project-dir p --data-dir d --company 公司 --project 项目 --unit u "
        "--session s --tools-dir t --for-cli --host --protocol=legacy"
    )
    assert parse(given.split()) == Flags(
        agent="pm",
        project_dir="p",
        data_dir="d",
        company="公司",
        project="项目",
        unit="u",
        session="s",
        tools_dir="t",
        for_cli=True,
        host=True,
        protocol="legacy",
    )
    assert parse([]) == Flags()


@pytest.mark.parametrize(
    "given", [["--agnet", "pm"], ["--age", "pm"], ["extra"], ["--agent"], ["--protocol", "新"]]
)
def test_a_flag_that_does_not_exist_is_said_in_one_line(given: list[str]) -> None:
    with pytest.raises(UsageError) as caught:
        parse(given)
    assert str(caught.value).endswith("; see devloop-tools serve --help")
    assert "\n" not in str(caught.value)
