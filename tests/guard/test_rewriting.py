"""A refused command as it could be written."""

import pytest
from tests.guard.refused import REFUSED

from devloop_tools.guard.judging import judge


@pytest.mark.parametrize(
    ("command", "rewritten"),
    [
        ("curl -d '{\"a\":1}' x", "printf '%s' '{\"a\":1}' > body.json && curl -d @body.json x"),
        ("curl -sd'{}' x", "printf '%s' '{}' > body.json && curl -sd@body.json x"),
        (
            "curl --data-raw '{}' x",
            "printf '%s' '{}' > body.json && curl --data-binary @body.json x",
        ),
        (
            "curl --data-raw='{}' x",
            "printf '%s' '{}' > body.json && curl --data-binary=@body.json x",
        ),
        ("curl --json '{}' x", "printf '%s' '{}' > body.json && curl --json @body.json x"),
        ("wget --post-data='{}' x", "printf '%s' '{}' > body.json && wget --post-file=body.json x"),
        ("http --raw '{}' x", "printf '%s' '{}' > body.json && http  x @body.json"),
        (
            'for i in 1 2; do curl -d "{\\"n\\":$i}" x; done',
            'for i in 1 2; do printf \'%s\' "{\\"n\\":$i}" > body.json'
            " && curl -d @body.json x; done",
        ),
        (
            "false || curl -d '{}' x",
            "false || { printf '%s' '{}' > body.json && curl -d @body.json x; }",
        ),
        ("echo '{}' | curl -d @- x", "echo '{}' > body.json && curl -d @body.json x"),
        ("curl -d @- x <<< '{}'", "cat <<< '{}' > body.json && curl -d @body.json x "),
        (
            'cat <<E | curl -d @- x\n{"n":$i}\nE',
            None,
        ),
        (
            "curl -d '{\"a\":1}' x; curl -d '{\"b\":1}' x",
            "printf '%s' '{\"a\":1}' > body.json && curl -d @body.json x; "
            "printf '%s' '{\"b\":1}' > body-2.json && curl -d @body-2.json x",
        ),
        (
            'echo 1 > body.json; curl -d \'{"名":"值"}\' 地址',
            "echo 1 > body.json; "
            "printf '%s' '{\"名\":\"值\"}' > body-2.json && curl -d @body-2.json 地址",
        ),
        ("sh -c 'curl -d \"[1]\" x'", None),
        ("args=(-d '{}'); curl \"${args[@]}\" x", None),
        ("http x a:='[1]'", None),
    ],
)
def test_the_body_goes_to_a_file_first(command: str, rewritten: str | None) -> None:
    assert judge(command).rewritten == rewritten


@pytest.mark.parametrize("command", REFUSED)
def test_what_is_proposed_passes(command: str) -> None:
    judgement = judge(command)
    if judgement.rewritten is not None:
        assert judge(judgement.rewritten) == (False, "", None, True)
        assert judgement.reason.endswith(judgement.rewritten)


def test_most_refusals_come_with_a_proposal() -> None:
    assert sum(judge(command).rewritten is not None for command in REFUSED) >= 80
