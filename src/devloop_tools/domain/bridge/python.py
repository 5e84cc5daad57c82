"""A contract as Python: its types, a client for callers, and stubs for the implementer."""

import builtins
from collections.abc import Iterator

from devloop_tools.domain.bridge.contract_shapes import Callable, ContractShapes, Operation
from devloop_tools.domain.bridge.names import Names, pascal, path_pieces, snake
from devloop_tools.domain.bridge.python_types import RESERVED, PythonTypes, docstring, quoted
from devloop_tools.domain.bridge.shapes import Primitive, Shape

_IMPORTS = """\
from typing import Literal, Never, NotRequired, Protocol, TypeAlias, TypedDict
"""

_TRANSPORT = '''\
class Transport(Protocol):
    """Sends a request and gives the status and the body, None where there is none."""

    def __call__(self, method: str, path: str, body: object = None) -> tuple[int, object]: ...


def http_transport(base_url: str, timeout_s: float = 30.0) -> Transport:
    """Requests to `base_url` (no slash at its end) as JSON."""

    def send(method: str, path: str, body: object = None) -> tuple[int, object]:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Accept": "application/json", "Content-Type": "application/json"}
        safe = quote(path, safe="/?&=%+,:;@!$'()*~")
        request = urllib.request.Request(base_url + safe, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=timeout_s) as response:
                status, content = int(response.status), bytes(response.read())
        except urllib.error.HTTPError as answer:
            status, content = answer.code, answer.read()
        return status, json.loads(content) if content else None

    return send


def query(request: object) -> str:
    """The query string of a request without a body."""
    pairs: list[tuple[str, str]] = []
    for name, value in request.items() if isinstance(request, dict) else ():
        for one in value if isinstance(value, list) else [value]:
            if one is not None:
                pairs.append((str(name), json.dumps(one) if isinstance(one, bool) else str(one)))
    return "?" + urllib.parse.urlencode(pairs) if pairs else ""


'''


def python(contract: ContractShapes) -> tuple[dict[str, str], list[str]]:
    """File name to text, without the header, and what Python's types can't say."""
    return _Files(contract).files()


class _Signature:
    """A function's arguments: name, type, what stands for its absence, default; and its result."""

    def __init__(self, taken: list[tuple[str, str, str, str]], returns: str | None) -> None:
        self._taken = taken
        self._returns = returns

    def text(self, module: str) -> str:
        """`(self, title: "T") -> "R"`, with types of `module` ("" or "models.")."""
        parts = [
            f"{name}: {quoted(module + declared + left_out)}{default}"
            for name, declared, left_out, default in self._taken
        ]
        returns = "None" if self._returns is None else quoted(module + self._returns)
        return f"({', '.join(['self', *parts])}) -> {returns}"


class _Files:
    def __init__(self, contract: ContractShapes) -> None:
        self._contract = contract
        scope = Names([*RESERVED, *dir(builtins)])
        names = {name: scope.take(name) for name in contract.types}
        self._types = PythonTypes(contract.types, names, scope)
        self._scope = scope
        for name, shape in contract.types.items():
            self._types.declare(names[name], shape)
        methods = Names([*RESERVED, *dir(object)])
        self._operations = [
            (
                operation,
                methods.take(snake(list(operation.words))),
                self._request(operation),
                self._response(operation),
            )
            for operation in contract.operations
        ]
        methods = Names([*RESERVED, *dir(object)])
        self._functions = [
            (function, methods.take(function.name), self._signature(function))
            for function in contract.functions
        ]
        for event, payload in contract.events:
            name = scope.take(pascal(["event", *_words(event)]))
            self._types.declare(name, payload or Primitive.NULL)

    def files(self) -> tuple[dict[str, str], list[str]]:
        files = {
            "__init__.py": "",
            "models.py": "".join(self._models_file()),
            "client.py": "".join(self._client_file()),
            "handlers.py": "".join(self._handlers_file()),
        }
        return files, self._types.warnings

    def _request(self, operation: Operation) -> str:
        if operation.request is None:
            return ""
        name = self._scope.take(pascal([*operation.words, "request"]))
        self._types.declare(name, operation.request)
        return name

    def _response(self, operation: Operation) -> str:
        base = pascal(list(operation.words))
        branches = []
        for status, body in operation.responses or (("default", Primitive.UNKNOWN),):
            name = self._scope.take(f"{base}{status.capitalize()}")
            code = f"Literal[{int(status)}]" if status.isdecimal() else "int"
            text = self._types.text(Primitive.NULL if body is None else body, f"{name}Body")
            fields = f'{{"status": {quoted(code)}, "body": {quoted(text)}}}'
            self._types.declarations.append(f"{name} = TypedDict({quoted(name)}, {fields})\n")
            branches.append(name)
        whole = self._scope.take(f"{base}Response")
        self._types.declarations.append(f"{whole}: TypeAlias = {quoted(' | '.join(branches))}\n")
        return whole

    def _signature(self, function: Callable) -> _Signature:
        scope = Names(RESERVED)
        optional_from = len(function.arguments)
        while optional_from and not function.arguments[optional_from - 1].required:
            optional_from -= 1
        owner = pascal(_words(function.name))
        taken = []
        for at, argument in enumerate(function.arguments):
            declared = self._declared(argument.shape, owner + pascal(_words(argument.name)))
            left_out = "" if argument.required else " | None"
            default = " = None" if at >= optional_from else ""
            taken.append((scope.take(argument.name), declared, left_out, default))
        returns = function.returns
        return _Signature(
            taken, None if returns is None else self._declared(returns, f"{owner}Result")
        )

    def _declared(self, shape: Shape, wanted: str) -> str:
        """The name of a type of its own, by which every file can call it."""
        name = self._scope.take(wanted)
        self._types.declare(name, shape)
        return name

    def _models_file(self) -> Iterator[str]:
        yield _IMPORTS
        for declaration in self._types.declarations:
            yield "\n" + declaration
        codes = ", ".join(repr(code) for code in self._contract.errors)
        yield f"\nErrorCode: TypeAlias = {quoted(f'Literal[{codes}]' if codes else 'Never')}\n"
        events = ", ".join(repr(name) for name, _ in self._contract.events)
        yield f"\nEventName: TypeAlias = {quoted(f'Literal[{events}]' if events else 'Never')}\n"
        yield "\n\nclass Handlers(Protocol):\n" + docstring("What answers the endpoints.")
        for operation, method, request, response in self._operations:
            taken = _taken(operation, request)
            yield f"\n    def {method}({taken}) -> {quoted(response)}: ...\n"
        yield "\n\nclass Functions(Protocol):\n" + docstring("The functions that others call.")
        for _, name, signature in self._functions:
            yield f"\n    def {name}{signature.text('')}: ...\n"
        yield "\n\nroutes = (\n"
        for operation, method, _, _ in self._operations:
            texts = map(quoted, (operation.method, operation.path, method))
            yield f"    ({', '.join(texts)}),\n"
        yield ")\n" + docstring("Method, path and the handler that answers.", "")

    def _client_file(self) -> Iterator[str]:
        yield "import json\nimport urllib.error\nimport urllib.parse\nimport urllib.request\n"
        yield "from typing import Protocol, cast\nfrom urllib.parse import quote\n\n"
        yield "from . import models\n\n\n" + _TRANSPORT
        yield "class Client:\n" + docstring("Calls the unit.") + "\n"
        yield "    def __init__(self, transport: Transport) -> None:\n"
        yield "        self._transport = transport\n"
        for operation, method, request, response in self._operations:
            taken = _taken(operation, f"models.{request}" if request else "")
            yield f"\n    def {method}({taken}) -> {quoted(f'models.{response}')}:\n"
            yield docstring(f"{operation.title} {operation.summary}", "        ")
            yield f"        path = {_path(operation)}\n"
            sent = [quoted(operation.method), "path"]
            if request and not operation.in_query:
                sent.append("request")
            yield f"        status, body = self._transport({', '.join(sent)})\n"
            yield '        answer: object = {"status": status, "body": body}\n'
            yield f"        return cast({quoted(f'models.{response}')}, answer)\n"

    def _handlers_file(self) -> Iterator[str]:
        # What is raised stands in the file that the unit's coder fills in.
        yield "from . import models\n\n\n"
        yield "class UnitHandlers(models.Handlers):\n"
        yield docstring("Write the answers here. This file is yours once you changed it.")
        for operation, method, request, response in self._operations:
            taken = _taken(operation, f"models.{request}" if request else "")
            yield f"\n    def {method}({taken}) -> {quoted(f'models.{response}')}:\n"
            yield docstring(f"{operation.title} {operation.summary}", "        ")
            yield f"        raise NotImplementedError({quoted(operation.title)})\n"
        yield "\n\nclass UnitFunctions(models.Functions):\n" + docstring(
            "Write the functions here."
        )
        for function, name, signature in self._functions:
            yield f"\n    def {name}{signature.text('models.')}:\n"
            yield f"        raise NotImplementedError({quoted(function.name)})\n"


def _taken(operation: Operation, request: str) -> str:
    scope = Names([*RESERVED, "request", "path", "status", "body", "answer"])
    parts = ["self"]
    if operation.parameters or request:
        parts.append("*")
    parts += [f"{scope.take(name)}: str" for name in operation.parameters]
    if request:
        parts.append(f"request: {quoted(request)}")
    return ", ".join(parts)


def _path(operation: Operation) -> str:
    """The path as an expression, with its parameters filled in and the query behind it."""
    scope = Names([*RESERVED, "request", "path", "status", "body", "answer"])
    names = {name: scope.take(name) for name in operation.parameters}
    pieces = [
        f'quote({names[piece]}, safe="")' if is_parameter else quoted(piece)
        for piece, is_parameter in path_pieces(operation.path)
    ]
    if operation.request is not None and operation.in_query:
        pieces.append("query(request)")
    return " + ".join(pieces)


def _words(name: str) -> list[str]:
    words = "".join(char if char.isalnum() else " " for char in name).split()
    return words or ["unnamed"]
