"""A contract as TypeScript: its types, a client for callers, and stubs for the implementer."""

import json
from collections.abc import Iterator

from devloop_tools.domain.bridge.contract_shapes import Callable, ContractShapes, Operation
from devloop_tools.domain.bridge.names import Names, camel, pascal, path_pieces
from devloop_tools.domain.bridge.shapes import Primitive
from devloop_tools.domain.bridge.typescript_types import (
    RESERVED,
    TypescriptTypes,
    comment,
    literal,
    quoted,
)

_TRANSPORT = """\
export interface TransportRequest {
  method: string;
  path: string;
  body?: unknown;
}

export interface TransportResponse {
  status: number;
  body: unknown;
}

export type Transport = (request: TransportRequest) => Promise<TransportResponse>;

/** The part of `fetch` that is used here; every runtime's own fits. */
export type Fetch = (
  url: string,
  init: { method: string; headers: { [name: string]: string }; body?: string },
) => Promise<{ status: number; text(): Promise<string> }>;

/** Sends requests to `baseUrl` (no slash at its end) as JSON. */
export function httpTransport(baseUrl: string, fetch: Fetch): Transport {
  return async ({ method, path, body }) => {
    const init: { method: string; headers: { [name: string]: string }; body?: string } = {
      method,
      headers: { accept: "application/json" },
    };
    if (body !== undefined) {
      init.headers["content-type"] = "application/json";
      init.body = JSON.stringify(body);
    }
    const response = await fetch(baseUrl + path, init);
    const text = await response.text();
    return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
  };
}

function query(request: unknown): string {
  const pairs: string[] = [];
  const named = typeof request === "object" && request !== null ? request : {};
  for (const [name, value] of Object.entries(named)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null) {
        pairs.push(`${encodeURIComponent(name)}=${encodeURIComponent(String(one))}`);
      }
    }
  }
  return pairs.length > 0 ? `?${pairs.join("&")}` : "";
}
"""


def typescript(contract: ContractShapes) -> dict[str, str]:
    """File name to text, without the header: types.ts, client.ts, handlers.ts."""
    return _Files(contract).files()


class _Files:
    def __init__(self, contract: ContractShapes) -> None:
        self._contract = contract
        scope = Names(RESERVED)
        names = {name: scope.take(name) for name in contract.types}
        self._types = TypescriptTypes(names)
        self._names = names
        methods = Names(["constructor"])
        self._operations = [
            (
                operation,
                methods.take(camel(list(operation.words))),
                scope.take(pascal([*operation.words, "request"])),
                scope.take(pascal([*operation.words, "response"])),
            )
            for operation in contract.operations
        ]

    def files(self) -> dict[str, str]:
        return {
            "types.ts": "\n".join(self._types_file()),
            "client.ts": "\n".join(self._client_file()),
            "handlers.ts": "\n".join(self._handlers_file()),
        }

    def _types_file(self) -> Iterator[str]:
        for name, shape in self._contract.types.items():
            yield self._types.declared(self._names[name], shape)
        for operation, _, request, response in self._operations:
            if operation.request is not None:
                yield self._types.declared(request, operation.request)
            yield f"export type {response} ={self._responses(operation)};\n"
        codes = " | ".join(map(literal, self._contract.errors)) or "never"
        yield f"export type ErrorCode = {codes};\n"
        events = "".join(
            f"  {quoted(name)}: {self._types.text(shape or Primitive.NULL, '  ')};\n"
            for name, shape in self._contract.events
        )
        yield "/** What the unit tells others, by name. */"
        yield f"export interface Events {{\n{events}}}\n"
        yield "/** What answers the endpoints. */"
        yield "export interface Handlers {\n" + "".join(self._handler_types()) + "}\n"
        yield "/** The functions that others call. */"
        functions = "".join(map(self._function_type, self._contract.functions))
        yield f"export interface Functions {{\n{functions}}}\n"
        yield "/** Which handler answers what. */"
        yield "export const routes = [\n" + "".join(self._routes()) + "] as const;\n"

    def _responses(self, operation: Operation) -> str:
        branches = []
        for status, shape in operation.responses:
            code = status if status.isdecimal() and status.isascii() else "number"
            body = "undefined" if shape is None else self._types.text(shape, "    ")
            branches.append(f"\n  | {{ status: {code}; body: {body} }}")
        return "".join(branches) or " { status: number; body: unknown }"

    def _handler_types(self) -> Iterator[str]:
        for operation, method, request, response in self._operations:
            taken = self._call_type(operation, request)
            yield comment(f"{operation.title} {operation.summary}", "  ")
            yield f"  {method}({taken}): Promise<{response}>;\n"

    def _call_type(self, operation: Operation, request: str) -> str:
        parts = []
        if operation.parameters:
            inner = " ".join(f"{quoted(name)}: string;" for name in operation.parameters)
            parts.append(f"params: {{ {inner} }}")
        if operation.request is not None:
            parts.append(f"request: {request}")
        return ", ".join(parts)

    def _function_type(self, function: Callable) -> str:
        returns = "void" if function.returns is None else self._types.text(function.returns, "  ")
        arguments = self._arguments(function)
        return f"  {quoted(function.name)}({arguments}): {returns} | Promise<{returns}>;\n"

    def _arguments(self, function: Callable) -> str:
        scope = Names(RESERVED)
        written: list[str] = []
        optional = True
        for argument in reversed(function.arguments):
            # Only the last ones may be left out; before others, undefined stands for it.
            optional = optional and not argument.required
            text = self._types.text(argument.shape, "  ")
            if not argument.required and not optional:
                text += " | undefined"
            written.insert(0, f"{{}}{'?' if optional else ''}: {text}")
        names = [scope.take(argument.name) for argument in function.arguments]
        return ", ".join(
            name + text.removeprefix("{}") for name, text in zip(names, written, strict=True)
        )

    def _routes(self) -> Iterator[str]:
        for operation, method, _, _ in self._operations:
            fields = {"method": operation.method, "path": operation.path, "handler": method}
            inner = ", ".join(
                f"{key}: {json.dumps(v, ensure_ascii=False)}" for key, v in fields.items()
            )
            yield f"  {{ {inner} }},\n"

    def _imports(self, *more: str) -> str:
        names = [*more]
        for operation, _, request, response in self._operations:
            if operation.request is not None:
                names.append(request)
            names.append(response)
        return ", ".join(names)

    def _client_file(self) -> Iterator[str]:
        if names := self._imports():
            yield f'import type {{ {names} }} from "./types.js";\n'
        yield _TRANSPORT
        yield "/** Calls the unit. Each method gives the status and the body of the answer. */"
        yield "export class Client {\n  constructor(private readonly transport: Transport) {}\n"
        for operation, method, request, response in self._operations:
            yield comment(f"{operation.title} {operation.summary}", "  ").rstrip("\n")
            yield f"  async {method}({self._call_type(operation, request)}): Promise<{response}> {{"
            yield f"    const path = {_path(operation)};"
            body = (
                ", body: request"
                if operation.request is not None and not operation.in_query
                else ""
            )
            call = f'{{ method: "{operation.method}", path{body} }}'
            yield f"    const answer = await this.transport({call});"
            yield f"    return answer as {response};\n  }}\n"
        yield "}\n"

    def _handlers_file(self) -> Iterator[str]:
        names = ["Functions", "Handlers"]
        yield f'import type {{ {self._imports(*names)} }} from "./types.js";\n'
        yield "/** Write the answers here. This file is yours once you changed it. */"
        yield "export class UnitHandlers implements Handlers {"
        for operation, method, request, response in self._operations:
            taken = self._call_type(operation, request)
            yield f"  async {method}({taken}): Promise<{response}> {{"
            yield f"    throw new Error({_not_yet(operation.title)});\n  }}\n"
        yield "}\n"
        yield "/** Write the functions here. */"
        yield "export const functions: Functions = {"
        for function in self._contract.functions:
            yield f"  {quoted(function.name)}() {{"
            yield f"    throw new Error({_not_yet(function.name)});\n  }},\n"
        yield "};\n"


def _not_yet(title: str) -> str:
    return json.dumps(f"{title} is not implemented", ensure_ascii=False)


def _path(operation: Operation) -> str:
    """The path as an expression, with its parameters filled in and the query behind it."""
    pieces = []
    for piece, is_parameter in path_pieces(operation.path):
        text = json.dumps(piece, ensure_ascii=False)
        pieces.append(f"encodeURIComponent(params[{text}])" if is_parameter else text)
    if operation.request is not None and operation.in_query:
        pieces.append("query(request)")
    return " + ".join(pieces)
