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
        ("devloop-tools approvals approve 3", "closed devloop-tools approvals"),
        ("cd x && devloop-tools  call write_chapter --agent pm", "closed devloop-tools call"),
        ("echo ok; /usr/bin/devloop-tools upstreams test", "closed devloop-tools upstreams"),
        ("python -m devloop_tools call x", "closed devloop-tools call"),
        ("python3 -P -m devloop_tools serve --agent pm", "closed devloop-tools serve"),
        ("devloop-tools launch pm 'do it'", "closed devloop-tools launch"),
        ("devloop-'tools' ap\\provals list", "closed devloop-tools approvals"),
        ("devloop-tools \\\n call x", "closed devloop-tools call"),
        ("sqlite3 .devloop/state.db 'delete from events'", "closed .devloop"),
        ("ls -la ./.devloop", "closed .devloop"),
        ('cat ".devloop"/x', "closed .devloop"),
        ("cd .dev*; rm state.db", "closed .devloop"),
        ("echo x > tools.d/agents.json", "closed tools.d"),
        ("sed -i s/a/b/ conf/agents/agents.json", "closed conf/agents"),
        ("cat Conf/Agents/agents.json", "closed Conf/Agents"),
        (f"cp x {ROOT}/conf/agents/packs/a.py", f"closed {ROOT}/conf/agents"),
        ("cat ~/.config/devloop-tools/devloop.toml", "closed ~/.config/devloop-tools"),
        ("cat $HOME/.config/devloop-tools/x", "closed $HOME/.config/devloop-tools"),
        ("cat ${HOME}/.config/devloop-tools/x", "closed ${HOME}/.config/devloop-tools"),
        ("touch /opt/写/t/packs/a.py", "closed /opt/写/t"),
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
    fault = fault_in_command("devloop-tools call x", ROOT, Sandbox("coder"))
    assert fault
    assert fault[1] == (
        "devloop-tools call is for the people who run the agents; call the tools you have"
    )
