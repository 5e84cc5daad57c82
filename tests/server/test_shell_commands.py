"""What a shell command of an agent may not name."""

from pathlib import Path

import pytest

from devloop_tools.server.shell_commands import fault_in_command
from devloop_tools.storage.sandbox import Sandbox

ROOT = Path("/srv/项目")


def rule_of(command: object, monkeypatch: pytest.MonkeyPatch) -> str | None:
    monkeypatch.setenv("HOME", "/home/li")
    folders = (ROOT / "conf/agents", Path("/home/li/.config/devloop-tools"), Path("/opt/写/t"))
    fault = fault_in_command(command, ROOT, Sandbox("coder", configuration=folders))
    return fault[0] if fault else None


@pytest.mark.parametrize(
    ("command", "rule"),
    [
        ("devloop-tools approvals approve 3", "fence"),
        ("cd x && devloop-tools  call write_chapter --agent pm", "fence"),
        ("echo ok; /usr/bin/devloop-tools upstreams test", "fence"),
        ("python -m devloop_tools call x", "fence"),
        ("python3 -P -m devloop_tools serve --agent pm", "fence"),
        ("devloop-tools launch pm 'do it'", "fence"),
        ("devloop-'tools' ap\\provals list", "fence"),
        ("devloop-tools \\\n call x", "fence"),
        ("sqlite3 .devloop/state.db 'delete from events'", "fence"),
        ("ls -la ./.devloop", "fence"),
        ('cat ".devloop"/x', "fence"),
        ("cd .dev*; rm state.db", "fence"),
        ("sed -i s/a/b/ conf/agents/agents.json", "fence"),
        (f"cp x {ROOT}/conf/agents/packs/a.py", "fence"),
        ("cat ~/.config/devloop-tools/devloop.toml", "fence"),
        ("cat $HOME/.config/devloop-tools/x", "fence"),
        ("cat ${HOME}/.config/devloop-tools/x", "fence"),
        ("touch /opt/写/t/packs/a.py", "fence"),
        ("curl -d '{\"a\": 1}' http://h/", "guard"),
        ("curl -d @body.json http://h/", None),
        (None, "command"),
        (["ls"], "command"),
        ("npm test", None),
        ("git commit -m 'call devloop-tools from the host'", None),
        ("cat conf/agents2/x .devloopx my.devloop/x", None),
        ("devloop-tools policy explain --agent coder Bash", None),
        ("grep -rn state.dbx src", None),
        ("pytest tests/configuration", None),
    ],
)
def test_our_own_state_and_commands_are_closed_to_it(
    command: object, rule: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert rule_of(command, monkeypatch) == rule


def test_the_reason_says_what_to_do_instead() -> None:
    fault = fault_in_command("devloop-tools serve --agent pm", ROOT, Sandbox("coder"))
    assert fault
    assert fault[1] == (
        "devloop-tools serve is for the people who run the agents; call the tools you have"
    )
