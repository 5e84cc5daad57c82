"""Which successes a handler answers, as far as its code says it."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from http import HTTPStatus

from devloop_tools.domain.source.evaluation import Evaluation
from devloop_tools.domain.source.scopes import External, Scope
from devloop_tools.domain.source.syntax import (
    Assign,
    Call,
    Choice,
    Expression,
    Function,
    Member,
    Name,
    Number,
    Opaque,
    Record,
    Return,
    Sequence,
    Statement,
    all_inside,
    expressions_of,
)

MAX_CALLS = 3
"""Calls of the unit's own functions are followed so far."""

_SETTERS = frozenset(["status", "code", "sendStatus", "writeHead", "setStatus"])
_SENDERS = frozenset(
    "json send end html text body render sendFile download jsonp format newResponse xml"
    " type".split()
)
_REDIRECTS = frozenset(["redirect", "RedirectResponse"])
_NUMBERED = re.compile(r"HTTP_(\d{3})_")
_NAMED = {
    status.name.replace("_", ""): status.value
    for status in HTTPStatus
}  # fmt: skip


@dataclass
class Answers:
    """`explicit` are named in the code; `plain` says that some answer names none."""

    explicit: set[int] = field(default_factory=set)
    plain: bool = False
    is_set_before: bool = False
    empty: bool = False

    def successes(self) -> frozenset[int] | None:
        """The successes in all; None where the code answers nothing that we see."""
        named = {status for status in self.explicit if 200 <= status < 300}
        if named:
            return frozenset(named | ({200} if self.plain and not self.is_set_before else set()))
        if self.plain:
            return frozenset([204] if self.empty else [200])
        elsewhere = {status for status in self.explicit if 300 <= status < 400}
        return frozenset(elsewhere) or None


class StatusReader:
    """Reads handlers of one program."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    def successes(self, handler: Expression | None, scope: Scope) -> frozenset[int] | None:
        """What `handler`, which stands in `scope`, may answer when all is well."""
        if handler is None:
            return None
        answers = Answers()
        for function, outer in self._functions(handler, scope):
            self._read(function, outer, answers, 0)
        return answers.successes()

    def numbers(self, expression: Expression, scope: Scope) -> list[int]:
        """The numbers that an expression may be, names of HTTP statuses among them."""
        if isinstance(expression, Member) and expression.name == "value":
            expression = expression.of
        found: list[int] = []
        for thing, where in self._evaluation.ground(expression, scope):
            if isinstance(thing, Number):
                found.append(thing.value)
            elif isinstance(thing, External):
                found.extend(_number_named(thing.name))
            elif isinstance(thing, Call) and thing.arguments:
                found.extend(self.numbers(thing.arguments[0], where))
        return found

    def _functions(
        self, handler: Expression, scope: Scope, depth: int = 0
    ) -> Iterator[tuple[Function, Scope]]:
        """The function behind a handler: itself, by name, bound, or wrapped in a call."""
        if isinstance(handler, Call) and depth < MAX_CALLS:
            handed = [*handler.arguments]
            if isinstance(handler.function, Member) and handler.function.name == "bind":
                handed = [handler.function.of]
            inside = [pair for one in handed for pair in self._functions(one, scope, depth + 1)]
            if inside:
                yield from inside
                return
        for thing, where in self._evaluation.ground(handler, scope):
            if isinstance(thing, Function):
                yield thing, where
            elif isinstance(thing, Call) and thing is not handler and depth < MAX_CALLS:
                yield from self._functions(thing, where, depth + 1)
            elif isinstance(thing, Sequence) and thing.items and depth < MAX_CALLS:
                yield from self._functions(thing.items[-1], where, depth + 1)
            elif isinstance(thing, Record) and (answering := thing.get("handler")) is not None:
                yield from self._functions(answering, where, depth + 1)

    def _read(self, function: Function, outer: Scope, answers: Answers, depth: int) -> None:
        scope = self._evaluation.function_scope(function, outer)
        sent: set[int] = set()
        for statement in function.body or ():
            self._statement(statement, scope, answers, sent, depth)

    def _statement(
        self, statement: Statement, scope: Scope, answers: Answers, sent: set[int], depth: int
    ) -> None:
        if isinstance(statement, Assign) and isinstance(statement.target, Member):
            self._assigned(statement.target.name, statement.value, scope, answers)
        if isinstance(statement, Return):
            self._returned(statement.value, scope, answers, depth)
        for whole in expressions_of(statement):
            for expression in all_inside(whole):
                if isinstance(expression, Call):
                    self._call(expression, scope, answers, sent, depth)
                elif isinstance(expression, Function):
                    inner = self._evaluation.function_scope(expression, scope)
                    for one in expression.body or ():
                        if not (isinstance(one, Return) and scope.module.is_python):
                            self._statement(one, inner, answers, sent, depth)

    def _assigned(self, name: str, value: Expression, scope: Scope, answers: Answers) -> None:
        if name in ("status", "statusCode", "status_code"):
            numbers = self.numbers(value, scope)
            answers.explicit.update(numbers)
            answers.is_set_before |= any(200 <= number < 300 for number in numbers)
        elif name == "body" and not scope.module.is_python:
            answers.empty = isinstance(value, Opaque) and value.is_null
            answers.plain = True

    def _call(self, call: Call, scope: Scope, answers: Answers, sent: set[int], depth: int) -> None:
        if id(call) in sent:
            return
        name = call.function.name if isinstance(call.function, Member | Name) else ""
        for keyword in ("status_code", "status"):
            if (given := call.keyword(keyword)) is not None:
                answers.explicit.update(self.numbers(given, scope))
        if name in _REDIRECTS:
            numbers = [n for argument in call.arguments for n in self.numbers(argument, scope)]
            answers.explicit.update([n for n in numbers if 300 <= n < 400] or [302])
        elif name in ("Response", "NextResponse"):
            answers.explicit.update(self._options(call, scope))
        elif scope.module.is_python:
            return
        elif name in _SENDERS and isinstance(call.function, Member):
            self._sent(call, scope, answers, sent)
        elif name in _SETTERS and isinstance(call.function, Member) and call.arguments:
            numbers = self.numbers(call.arguments[0], scope)
            answers.explicit.update(numbers)
            if name not in ("sendStatus", "writeHead"):
                answers.is_set_before |= any(200 <= number < 300 for number in numbers)
        else:
            self._follow(call, scope, answers, depth)

    def _sent(self, call: Call, scope: Scope, answers: Answers, sent: set[int]) -> None:
        """`res.status(201).json(x)`, `c.json(x, 201)`, `reply.send(x)`."""
        numbers = self._options(call, scope)
        receiver: Expression = call
        while isinstance(receiver, Call) and isinstance(receiver.function, Member):
            if receiver.function.name in _SETTERS and receiver.arguments:
                numbers.extend(self.numbers(receiver.arguments[0], scope))
                sent.add(id(receiver))
            elif receiver is not call:
                sent.add(id(receiver))
            receiver = receiver.function.of
        if not isinstance(receiver, Name) or not self._is_parameter(receiver, scope):
            return
        answers.explicit.update(numbers)
        if not numbers:
            answers.plain = True

    def _is_parameter(self, name: Name, scope: Scope) -> bool:
        inner: Scope | None = scope
        while inner is not None:
            if name.name in inner.params:
                return True
            inner = inner.parent
        return False

    def _options(self, call: Call, scope: Scope) -> list[int]:
        """A status as the second argument: a number, or `{status: 201}`."""
        if len(call.arguments) < 2:
            return []
        found = self.numbers(call.arguments[1], scope)
        for thing, where in self._evaluation.ground(call.arguments[1], scope):
            status = thing.get("status") if isinstance(thing, Record) else None
            if status is not None:
                found.extend(self.numbers(status, where))
        return found

    def _follow(self, call: Call, scope: Scope, answers: Answers, depth: int) -> None:
        """Into a function of the unit that is handed the response."""
        handed = any(
            isinstance(argument, Name) and self._is_parameter(argument, scope)
            for argument in call.arguments
        )
        if not handed or depth >= MAX_CALLS:
            return
        for thing, where in self._evaluation.ground(call.function, scope):
            if isinstance(thing, Function) and thing is not scope.function:
                self._read(thing, where, answers, depth + 1)

    def _returned(self, value: Expression, scope: Scope, answers: Answers, depth: int) -> None:
        """What a handler gives back: a body, a body with its status, or a response."""
        if not scope.module.is_python:
            self._returned_by_script(value, answers)
            return
        for option in value.options if isinstance(value, Choice) else (value,):
            if isinstance(option, Sequence) and option.is_tuple and len(option.items) > 1:
                numbers = self.numbers(option.items[1], scope)
                answers.explicit.update(numbers)
                answers.plain |= not numbers
            elif isinstance(option, Call):
                self._returned_call(option, scope, answers, depth)
            else:
                answers.plain = True

    def _returned_call(self, call: Call, scope: Scope, answers: Answers, depth: int) -> None:
        name = call.function.name if isinstance(call.function, Member | Name) else ""
        if name in _REDIRECTS or name in ("abort",):
            return
        if call.keyword("status_code") is not None or call.keyword("status") is not None:
            return
        if name in ("make_response", "Response") and (numbers := self._options(call, scope)):
            answers.explicit.update(numbers)
            return
        followed = False
        for thing, where in self._evaluation.ground(call.function, scope):
            if isinstance(thing, Function) and depth < MAX_CALLS and _answers(thing):
                followed = True
                self._read(thing, where, answers, depth + 1)
        answers.plain |= not followed

    def _returned_by_script(self, value: Expression, answers: Answers) -> None:
        """A value that isn't the result of a call on the response is the body (Fastify)."""
        if isinstance(value, Record | Sequence | Name | Member):
            answers.plain = True
            return
        if not isinstance(value, Call):
            return
        sends = any(
            isinstance(one, Call)
            and isinstance(one.function, Member)
            and one.function.name in _SENDERS | _SETTERS | _REDIRECTS | {"sendStatus", "throw"}
            for one in all_inside(value)
        )
        answers.plain |= not sends and not isinstance(value.function, Name)


def _answers(function: Function) -> bool:
    """Whether a function gives back bodies with a status, as handlers do."""
    return any(
        isinstance(statement, Return)
        and (
            (isinstance(statement.value, Sequence) and statement.value.is_tuple)
            or (
                isinstance(statement.value, Call)
                and isinstance(statement.value.function, Name | Member)
                and statement.value.function.name in ("make_response", "jsonify", "Response")
            )
        )
        for statement in function.body or ()
    )


def _number_named(name: str) -> Iterator[int]:
    """`status.HTTP_201_CREATED`, `HTTPStatus.CREATED`, `StatusCodes.NoContent`."""
    last = name.rpartition(".")[2]
    if (numbered := _NUMBERED.match(last)) is not None:
        yield int(numbered[1])
    elif "." in name and (value := _NAMED.get(last.replace("_", "").upper())) is not None:
        yield value
