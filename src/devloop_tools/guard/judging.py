"""Whether a Bash command may run: JSON goes to an HTTP client through a file, never inline.

A body that is written out in the command breaks at the first quote, umlaut or line that the shell
reads differently from the one who wrote it, and leaves nothing to look at. So it is refused,
whatever way it takes inside the command, and what to write instead is said.
"""

from devloop_tools.guard.bodies import Body, inline_body
from devloop_tools.guard.judgement import Judgement
from devloop_tools.guard.rewriting import Found, with_file
from devloop_tools.guard.scope import Invocation
from devloop_tools.guard.shell import walk
from devloop_tools.guard.text_rule import judged_as_text
from devloop_tools.guard.values import Unreadable

_MAX_REWRITES = 6


def judge(command: str) -> Judgement:
    """Judge one command, as the Bash tool would hand it to `bash -c`.

    Never raises, whatever `command` is; 100 kB of the worst input take under a second.

    Returns:
        A refusal, when the command hands a JSON object or array that is written in it to an HTTP
        client as its body. One that can't be parsed is judged by its text (`text_rule`).
    """
    try:
        found = _first_body(command)
    except Unreadable as exc:
        return judged_as_text(command, str(exc))
    if found is None:
        return Judgement(refused=False)
    rewritten = _rewritten(command, found)
    return Judgement(refused=True, reason=_reason(found.body, rewritten), rewritten=rewritten)


class _Bodies:
    """Keeps the first inline body of a walk."""

    def __init__(self) -> None:
        self.found: Found | None = None

    def command(self, invocation: Invocation) -> None:
        if self.found is None and (body := inline_body(invocation)):
            self.found = Found(body, invocation)

    def target(self, name: str, folder: str, *, written: bool) -> None:
        """Where output goes is no matter of bodies."""


def _first_body(command: str) -> Found | None:
    bodies = _Bodies()
    walk(command, bodies)
    return bodies.found


def _rewritten(command: str, found: Found | None) -> str | None:
    """The command with every inline body in a file; None where one can't be moved."""
    for _ in range(_MAX_REWRITES):
        if found is None:
            return command
        moved = with_file(command, found)
        if moved is None:
            return None
        command = moved
        try:
            found = _first_body(command)
        except Unreadable:
            return None
    return None


def _reason(body: Body, rewritten: str | None) -> str:
    way = "its input" if body.option == "input" else body.option
    reason = (
        f"Refused: {body.program} gets JSON that is written in the command itself, by {way}. "
        "JSON goes through a file: write it first (the Write tool, or "
        '`echo \'{"k":"v"}\' > body.json`), then send the file: '
        f"`{_EXAMPLES.get(body.program, 'curl -d @body.json URL')}`."
    )
    return reason if rewritten is None else f"{reason} Here that is:\n{rewritten}"


_EXAMPLES = {
    "wget": "wget --post-file=body.json URL",
    "wget2": "wget2 --post-file=body.json URL",
    **{name: f"{name} POST URL @body.json" for name in ("http", "https", "xh", "xhs")},
    "httpie": "http POST URL @body.json",
    **dict.fromkeys(("irm", "pwsh"), "Invoke-RestMethod URL -Method Post -InFile body.json"),
    "iwr": "Invoke-WebRequest URL -Method Post -InFile body.json",
    "invoke-restmethod": "Invoke-RestMethod URL -Method Post -InFile body.json",
    "invoke-webrequest": "Invoke-WebRequest URL -Method Post -InFile body.json",
    "powershell": "Invoke-RestMethod URL -Method Post -InFile body.json",
}
