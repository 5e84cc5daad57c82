"""Walks Bash as the shell would run it, without running anything.

Each simple command is shown with its words expanded and with what it would read, as far as both
are written in the source: through pipes, lists, substitutions, functions, loops, shells inside
shells and programs that start others. Where more than one thing may happen all of it is walked.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from devloop_tools.guard.builtins import BUILTINS
from devloop_tools.guard.outputs import printed_by
from devloop_tools.guard.programs import program_of
from devloop_tools.guard.redirects import redirected
from devloop_tools.guard.scope import Feed, Frame, Function, Invocation, Meter, Place, Scope, Word
from devloop_tools.guard.syntax import Source, Tree
from devloop_tools.guard.values import (
    HOLE,
    SEAM,
    Alternatives,
    Unreadable,
    bare,
    either,
    plain,
)
from devloop_tools.guard.words import WORDS, Expansion
from devloop_tools.guard.wrappers import Script, started_by

_SILENT = frozenset({"comment", "heredoc_start", "heredoc_end", "variable_name", "number"})


class Visitor(Protocol):
    """What is shown of a walk."""

    def command(self, invocation: Invocation) -> None:
        """A simple command, each wrapper and what it wraps one by one."""
        ...

    def target(self, name: str, folder: str, *, written: bool) -> None:
        """A file that a redirection names."""
        ...


def walk(text: str, visitor: Visitor, variables: Mapping[str, str] | None = None) -> None:
    """Show `visitor` all that `text` would run, where `variables` are set from outside.

    Raises:
        Unreadable: It is no Bash that can be read to its end, or would take too long.
    """
    scope = Scope(Meter())
    scope.variables = {name: (value,) for name, value in (variables or {}).items()}
    source = Source(text, given=True)
    _Shell(visitor).statement(source.root, Frame(scope, source))


class _Shell:
    def __init__(self, visitor: Visitor) -> None:
        self._visitor = visitor
        self._expansion = Expansion(self)
        self._kinds: dict[str, Callable[[Tree, Frame], str]] = {
            "command": self._command,
            "redirected_statement": self._redirected,
            "pipeline": self._pipeline,
            "list": self._list,
            "subshell": lambda node, frame: self.inside(node, frame.forked()),
            "function_definition": self._function,
            "variable_assignment": self._assignment,
            "declaration_command": self._declaration,
            "unset_command": self._unset,
            "for_statement": self._for,
            "negated_command": self._negated,
            **dict.fromkeys(
                ("if_statement", "while_statement", "case_statement", "c_style_for_statement"),
                lambda node, frame: self.inside(node, frame._replace(maybe=True)),
            ),
            **dict.fromkeys(_SILENT, lambda _node, _frame: ""),
        }

    def statement(self, node: Tree, frame: Frame) -> str:
        """Walk one node; what it prints."""
        frame.scope.meter.step(frame.depth)
        if node.type in WORDS:
            self._expansion.texts(node, frame)
            return ""
        return self._kinds.get(node.type, self.inside)(node, frame)

    def inside(self, node: Tree, frame: Frame) -> str:
        """Walk what a node is made of, from first to last; what all of it prints."""
        return self._all(node.named_children, frame)

    def _all(self, nodes: Sequence[Tree], frame: Frame) -> str:
        deeper = frame.deeper()
        printed: list[str] = []
        for node in nodes:
            printed.append(self.statement(node, deeper))
            frame.scope.meter.carry(printed[-1:])
        return "".join(printed)

    def substituted(self, node: Tree, frame: Frame) -> str:
        """What `$(...)` prints; `$(< file)` reads."""
        children = node.named_children
        if children and all(child.type == "file_redirect" for child in children):
            return redirected(children, frame, self._expansion).stdin
        return self._all(children, frame.forked()._replace(grouped=True))

    def connected(self, node: Tree, frame: Frame) -> str:
        """The name of the file that `<(...)` or `>(...)` stands for."""
        printed = self._all(node.named_children, frame.forked()._replace(grouped=True))
        return frame.scope.add_file(printed)

    def _redirected(self, node: Tree, frame: Frame) -> str:
        body = node.child_by_field_name("body")
        redirects = [child for child in node.named_children if child != body]
        if body is not None and body.type == "command":
            return self._command(body, frame, redirects, outer=node)
        found = redirected(redirects, frame, self._expansion)
        self._show_targets(found.targets, frame)
        inner = frame._replace(stdin=found.stdin, feed=None, grouped=True)
        printed = found.stdin if body is None else self.statement(body, inner.deeper())
        return self._sent(found.to_command, found.to_file, printed, frame) or self._behind(
            found.stages, found.after, "" if found.to_file else printed, frame
        )

    def _command(
        self,
        node: Tree,
        frame: Frame,
        redirects: Sequence[Tree] = (),
        outer: Tree | None = None,
    ) -> str:
        names: list[Tree] = []
        redirects = list(redirects)
        for child in node.children:
            if child.type.endswith("_redirect"):
                redirects.insert(0, child)
            elif child.type == "variable_assignment":
                self._environment(child, frame)
            elif child.is_named or child.type == "$":
                names.append(child)
        found = redirected(redirects, frame, self._expansion)
        self._show_targets(found.targets, frame)
        end = (outer or node).end_byte
        place = Place(node.start_byte, end, frame.grouped, found.feed or frame.feed)
        inner = frame._replace(stdin=found.stdin)
        printed = ""
        for words in self._expansion.commands([*names, *found.words], inner):
            printed += self._run(words, inner, place if frame.source.given else None)
        return self._sent(found.to_command, found.to_file, printed, frame) or self._behind(
            found.stages, found.after, "" if found.to_file else printed, frame
        )

    def _environment(self, node: Tree, frame: Frame) -> None:
        """A variable for one command: what it names, that command may open."""
        self._assignment(node, frame)
        name = node.child_by_field_name("name")
        values = None if name is None else frame.scope.value(frame.source.text(name))
        self._show_targets([(text, True) for text in values or ()], frame)

    def _show_targets(self, targets: Sequence[tuple[str, bool]], frame: Frame) -> None:
        for name, written in targets:
            self._visitor.target(name, frame.scope.folder, written=written)

    def _sent(self, readers: Sequence[Tree], to_file: bool, printed: str, frame: Frame) -> str:
        """Hand what is printed to the `>(...)` that read it."""
        inner = frame.forked()._replace(stdin=printed, feed=None, grouped=True)
        return "".join(self._all(reader.named_children, inner) for reader in readers)

    def _behind(
        self, stages: Sequence[Tree], after: Sequence[Tree], printed: str, frame: Frame
    ) -> str:
        """What stands on the line of a heredoc, behind it."""
        for stage in stages:
            inner = frame.forked()._replace(stdin=printed, feed=None, grouped=True)
            printed = self.statement(stage, inner)
        return printed + self._all(after, frame._replace(grouped=True))

    def _run(self, words: Sequence[Word], frame: Frame, place: Place | None) -> str:
        """Show a command, and walk what it starts; what it prints."""
        frame.scope.meter.step(frame.depth)
        # An unknown word in front may be empty: `$SUDO curl`.
        while len(words) > 1 and not bare(words[0].text):
            words = words[1:]
        if not words:
            return ""
        scope = frame.scope
        invocation = Invocation(words, frame.stdin, scope.files, scope.folder, place)
        self._visitor.command(invocation)
        name = program_of(words[0].text)
        function = scope.functions.get(bare(words[0].text))
        if function is not None and function.body.id not in frame.calls:
            return self._called(function, words, frame)
        if builtin := BUILTINS.get(name):
            builtin(words, frame)
        printed = ""
        started = list(started_by(name, invocation))
        for one in started:
            if isinstance(one, Script):
                printed += self._script(one, frame)
            else:
                inner = frame.deeper()._replace(stdin=one.stdin)
                printed += self._run(one.words, inner, place)
        return printed if started else printed_by(name, invocation)

    def _called(self, function: Function, words: Sequence[Word], frame: Frame) -> str:
        arguments = tuple(plain(word.text) for word in words[1:])
        outer, frame.scope.arguments = frame.scope.arguments, arguments
        calls = frame.calls | {function.body.id}
        inner = frame.deeper()._replace(source=function.source, feed=None, calls=calls)
        printed = self.statement(function.body, inner._replace(grouped=True))
        frame.scope.arguments = outer
        return printed

    def _script(self, script: Script, frame: Frame) -> str:
        """Walk the text that a shell inside the shell would run."""
        frame.scope.meter.step(frame.depth)
        scope = frame.scope if script.here else frame.scope.fork(script.arguments)
        try:
            source = Source(plain(script.text).replace(HOLE, "${__}"), given=False)
        except Unreadable:
            if script.certain:
                raise
            return HOLE
        inner = frame._replace(scope=scope, source=source, stdin=script.stdin, feed=None)
        return self.statement(source.root, inner.deeper())

    def _pipeline(self, node: Tree, frame: Frame) -> str:
        printed, feed, previous = frame.stdin, frame.feed, None
        stages = [child for child in node.named_children if child.type != "comment"]
        for stage in stages:
            if previous is not None:
                start, end = previous.end_byte, stage.start_byte
                feed = Feed("pipe", start, end) if previous is stages[0] else None
            grouped = frame.grouped or previous is not None
            inner = frame.forked()._replace(stdin=printed, feed=feed, grouped=grouped)
            if len(stages) == 1:
                inner = inner._replace(scope=frame.scope)
            printed, previous = self.statement(stage, inner), stage
        return printed

    def _list(self, node: Tree, frame: Frame) -> str:
        # Lists nest to the left, one level an operator: they are walked without recursion.
        parts: list[tuple[Tree, str]] = []
        while node.type == "list":
            frame.scope.meter.step(frame.depth)
            children = node.children
            parts.append((children[-1], children[1].type if len(children) > 1 else ""))
            node = children[0]
        printed = self.statement(node, frame.deeper())
        for child, operator in reversed(parts):
            inner = frame.deeper()._replace(grouped=frame.grouped or operator == "||")
            printed += self.statement(child, inner)
        return printed

    def _negated(self, node: Tree, frame: Frame) -> str:
        return self.inside(node, frame._replace(grouped=True))

    def _function(self, node: Tree, frame: Frame) -> str:
        name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
        if name is not None and body is not None:
            frame.scope.functions[frame.source.text(name)] = Function(body, frame.source)
            # It may be called from where nobody sees; once it is walked for itself.
            self.statement(body, frame.forked()._replace(grouped=True))
        return ""

    def _for(self, node: Tree, frame: Frame) -> str:
        variable = node.child_by_field_name("variable")
        body = node.child_by_field_name("body")
        values = node.children_by_field_name("value")
        texts: Alternatives = (HOLE,)
        if values:
            words = self._expansion.commands(values, frame)
            texts = either(*((word.text,) for one in words for word in one)) or ("",)
        elif frame.scope.arguments:
            texts = frame.scope.arguments[:8]
        if variable is not None:
            frame.scope.assign(frame.source.text(variable), texts, maybe=frame.maybe)
        return "" if body is None else self.inside(body, frame._replace(maybe=True))

    def _assignment(self, node: Tree, frame: Frame) -> str:
        name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
        if name is None:
            return ""
        texts = ("",) if value is None else self._expansion.text(value, frame)
        more = any(child.type == "+=" for child in node.children)
        variable = frame.source.text(name).partition("[")[0]
        if name.type == "subscript" or (more and value is not None and value.type == "array"):
            self.inside(name, frame)
            more = variable in frame.scope.variables
            texts = tuple(SEAM + text for text in texts) if more else texts
        frame.scope.assign(variable, texts, maybe=frame.maybe, more=more)
        return ""

    def _declaration(self, node: Tree, frame: Frame) -> str:
        for child in node.named_children:
            if child.type == "variable_assignment":
                self._assignment(child, frame)
            else:
                self.statement(child, frame)
        return ""

    def _unset(self, node: Tree, frame: Frame) -> str:
        for child in node.named_children:
            frame.scope.variables.pop(frame.source.text(child), None)
        return ""
