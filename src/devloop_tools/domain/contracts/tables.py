"""A contract as a person reads it: HTML with a heading and a table for each thing promised."""

import html
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import orjson
from pydantic import BaseModel

from devloop_tools.domain.contracts.contract import Contract, Endpoint, Function, JsonSchema
from devloop_tools.domain.contracts.schema_reading import mapping_in, names_in, sequence_in
from devloop_tools.domain.html.anchors import Anchors, slug

MAX_DEPTH = 6
"""Levels of objects inside objects that get rows; what is deeper stands there as JSON."""

SHOWN_OF_HASH = 19
"""Characters of a contract's hash that people see; the whole is its title."""

_EN = {
    "version": "Version", "endpoints": "Endpoints", "functions": "Functions", "types": "Types",
    "events": "Events", "errors": "Errors", "further": "Further", "part": "Part",
    "field": "Field", "type": "Type", "required": "Required", "notes": "Notes",
    "request": "request", "returns": "returns", "parameter": "parameter", "payload": "payload",
    "yes": "yes", "no": "no", "code": "Code", "when": "When", "whole": "the whole",
    "nothing": "It promises nothing yet.",
}  # fmt: skip
_ZH = {
    "version": "版本", "endpoints": "接口", "functions": "函数", "types": "类型",
    "events": "事件", "errors": "错误", "further": "其他", "part": "部分",
    "field": "字段", "type": "类型", "required": "必填", "notes": "说明",
    "request": "请求", "returns": "返回", "parameter": "参数", "payload": "内容",
    "yes": "是", "no": "否", "code": "代码", "when": "何时", "whole": "整体",
    "nothing": "还没有承诺任何内容。",
}  # fmt: skip
_SHOWN_ELSEWHERE = frozenset(
    "$ref type properties required items enum const oneOf anyOf allOf format description title"
    " additionalProperties $defs definitions".split()
)


@dataclass(frozen=True, slots=True)
class _Row:
    """One line of a table of fields; all but `field` are HTML."""

    field: str
    type: str
    required: bool | None
    notes: str


def contract_html(contract: Contract, contract_hash: str, language: str) -> str:
    """The inside of a section, without its heading; texts of the contract are escaped."""
    return "\n".join(_Tables(contract, contract_hash, language).parts())


class _Tables:
    def __init__(self, contract: Contract, contract_hash: str, language: str) -> None:
        self._contract = contract
        self._hash = contract_hash
        self._words = _ZH if language.startswith("zh") else _EN
        anchors = Anchors()
        self._type_ids = {name: anchors.claim(f"type-{slug(name)}") for name in contract.types}

    def parts(self) -> Iterator[str]:
        version = f"{self._words['version']} {_code(self._contract.version)}"
        shown = f"{self._hash[:SHOWN_OF_HASH]}…" if len(self._hash) > SHOWN_OF_HASH else self._hash
        yield f'<p>{version} · <code title="{self._hash}">{shown}</code></p>'
        chapters = {
            "endpoints": [part for e in self._contract.endpoints for part in self._endpoint(e)],
            "functions": [part for f in self._contract.functions for part in self._function(f)],
            "events": [
                part
                for event in self._contract.events
                for part in self._named(event.name, event.payload, event)
            ],
            "errors": list(self._errors()),
            "types": [
                part for name, schema in self._contract.types.items()
                for part in self._type_chapter(name, schema)
            ],
            "further": list(_further(self._contract)),
        }  # fmt: skip
        if not any(chapters.values()):
            yield f"<p>{self._words['nothing']}</p>"
        for name, parts in chapters.items():
            if parts:
                yield f"<h3>{self._words[name]}</h3>"
                yield from parts

    def _endpoint(self, endpoint: Endpoint) -> Iterator[str]:
        yield f"<h4>{_code(f'{endpoint.method.upper()} {endpoint.path}')}</h4>"
        if endpoint.summary:
            yield f"<p>{html.escape(endpoint.summary)}</p>"
        yield from _further(endpoint)
        groups: list[tuple[str, list[_Row]]] = []
        if endpoint.request is not None:
            groups.append((self._words["request"], self._rows(endpoint.request)))
        for status, schema in endpoint.responses.items():
            rows = [_Row("", "–", None, "")] if schema is None else self._rows(schema)
            groups.append((status, rows))
        if groups:
            yield self._parted(groups)

    def _function(self, function: Function) -> Iterator[str]:
        given = ", ".join(p.name if p.must_be_given else f"{p.name}?" for p in function.params)
        yield f"<h4>{_code(f'{function.name}({given})')}</h4>"
        yield from _further(function)
        groups: list[tuple[str, list[_Row]]] = []
        for parameter in function.params:
            rows = list(
                self._field_rows(parameter.name, parameter.schema_, parameter.must_be_given, 0)
            )
            groups.append((self._words["parameter"], rows))
        if function.returns is not None:
            groups.append((self._words["returns"], self._rows(function.returns)))
        if groups:
            yield self._parted(groups)

    def _named(self, name: str, schema: JsonSchema | None, part: BaseModel) -> Iterator[str]:
        yield f"<h4>{_code(name)}</h4>"
        yield from _further(part)
        if schema is not None:
            yield self._parted([(self._words["payload"], self._rows(schema))])

    def _errors(self) -> Iterator[str]:
        rows = [
            [_code(error.code), " ".join([html.escape(error.when), *_further_inline(error)])]
            for error in self._contract.errors
        ]
        if rows:
            yield _table([self._words["code"], self._words["when"]], rows)

    def _type_chapter(self, name: str, schema: JsonSchema) -> Iterator[str]:
        yield f'<h4 id="{html.escape(self._type_ids[name])}">{_code(name)}</h4>'
        if isinstance(schema, dict) and isinstance(text := schema.get("description"), str):
            yield f"<p>{html.escape(text)}</p>"
        heads = [self._words[word] for word in ("field", "type", "required", "notes")]
        yield _table(heads, [self._cells(row) for row in self._rows(schema)])

    def _parted(self, groups: list[tuple[str, list[_Row]]]) -> str:
        heads = [self._words[word] for word in ("part", "field", "type", "required", "notes")]
        rows = [
            [html.escape(name) if at == 0 else "", *self._cells(row)]
            for name, group in groups
            for at, row in enumerate(group)
        ]
        return _table(heads, rows)

    def _cells(self, row: _Row) -> list[str]:
        needed = "" if row.required is None else self._words["yes" if row.required else "no"]
        return [_code(row.field) if row.field else "", row.type, needed, row.notes]

    def _rows(self, schema: JsonSchema) -> list[_Row]:
        """A row a field of an object; anything else has one row for the whole."""
        fields = list(self._fields(schema, "", 0))
        if fields and isinstance(schema, dict) and not self._notes(schema, with_text=False):
            return fields
        notes = self._notes(schema, with_text=not fields) if isinstance(schema, dict) else ""
        return [_Row("", self._type(schema), None, notes), *fields]

    def _fields(self, schema: Any, path: str, depth: int) -> Iterator[_Row]:
        if not isinstance(schema, dict) or depth >= MAX_DEPTH:
            return
        required = names_in(schema, "required")
        for name, inner in mapping_in(schema, "properties").items():
            where = f"{path}.{name}" if path else name
            yield from self._field_rows(where, inner, name in required, depth)
        if isinstance(items := schema.get("items"), dict):
            yield from self._fields(items, f"{path}[]", depth + 1)

    def _field_rows(
        self, where: str, schema: Any, required: bool | None, depth: int
    ) -> Iterator[_Row]:
        notes = self._notes(schema, with_text=True) if isinstance(schema, dict) else ""
        if depth >= MAX_DEPTH - 1 and isinstance(schema, dict) and mapping_in(schema, "properties"):
            notes = " ".join([notes, _json(schema)]).strip()
        yield _Row(where, self._type(schema), required, notes)
        yield from self._fields(schema, where, depth + 1)

    def _type(self, schema: Any, depth: int = 0) -> str:
        if not isinstance(schema, dict):
            return "any" if schema is not False else "never"
        if depth > MAX_DEPTH:
            return _json(schema)
        if isinstance(reference := schema.get("$ref"), str):
            return self._reference(reference)
        if "const" in schema:
            return _json(schema["const"])
        if values := sequence_in(schema, "enum"):
            return " | ".join(map(_json, values))
        for key, sign in (("oneOf", " | "), ("anyOf", " | "), ("allOf", " &amp; ")):
            if branches := sequence_in(schema, key):
                return sign.join(self._type(branch, depth + 1) for branch in branches)
        named = schema.get("type")
        names = [named] if isinstance(named, str) else named if isinstance(named, list) else []
        shown = [self._simple(str(name), schema, depth) for name in names]
        return " | ".join(shown) or ("object" if "properties" in schema else "any")

    def _simple(self, name: str, schema: dict[str, Any], depth: int) -> str:
        if name == "array" and "items" in schema:
            item = self._type(schema["items"], depth + 1)
            return f"({item})[]" if " " in item and "<a " not in item else f"{item}[]"
        if name == "object" and isinstance(values := schema.get("additionalProperties"), dict):
            return f"object {{string: {self._type(values, depth + 1)}}}"
        if isinstance(form := schema.get("format"), str) and name != "null":
            return f"{html.escape(name)} ({html.escape(form)})"
        return html.escape(name)

    def _reference(self, reference: str) -> str:
        name = reference.rpartition("/")[2]
        if name in self._type_ids:
            return f'<a href="#{html.escape(self._type_ids[name])}">{_code(name)}</a>'
        return _code(reference)

    def _notes(self, schema: dict[str, Any], *, with_text: bool) -> str:
        """What a schema says beside its type: its description, and its bounds as JSON."""
        texts = [schema.get("title"), schema.get("description")] if with_text else []
        said = [html.escape(text) for text in texts if isinstance(text, str) and text]
        extra = schema.get("additionalProperties")
        bounds = {k: v for k, v in schema.items() if k not in _SHOWN_ELSEWHERE}
        if extra is False:
            bounds["additionalProperties"] = False
        said += [f"{_code(key)} {_json(value)}" for key, value in bounds.items()]
        return "; ".join(said)


def _further(part: BaseModel) -> Iterator[str]:
    """Fields of a part that contracts don't have by themselves."""
    for inline in _further_inline(part):
        yield f"<p>{inline}</p>"


def _further_inline(part: BaseModel) -> list[str]:
    return [f"{_code(name)} {_json(value)}" for name, value in (part.model_extra or {}).items()]


def _table(heads: Iterable[str], rows: Iterable[list[str]]) -> str:
    top = "".join(f"<th>{html.escape(head)}</th>" for head in heads)
    lines = ["<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows]
    body = "\n".join(lines)
    return f"<table>\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>"


def _code(text: object) -> str:
    return f"<code>{html.escape(str(text))}</code>"


def _json(value: object) -> str:
    return _code(orjson.dumps(value, default=str).decode())
