"""prompts/* and completion/complete: the agents' own prompts, and those of packs."""

from collections.abc import Sequence
from functools import partial

import anyio.to_thread

from devloop_tools.domain.project_resources import TEMPLATES, memory_ids
from devloop_tools.protocol.errors import INVALID_PARAMS, RpcError
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.server.actors import Actor
from devloop_tools.server.client_requests import asked_together
from devloop_tools.server.clients import with_client
from devloop_tools.server.paging import page_of
from devloop_tools.server.session import Session
from devloop_tools.toolkit.client import Client
from devloop_tools.toolkit.progress import NO_PROGRESS
from devloop_tools.toolkit.prompts import PromptDefinition

_TEMPLATE_URIS = tuple(template[0] for template in TEMPLATES)

MAX_VALUES = 100
"""MCP: a completion has at most so many values."""


async def prompts_list(session: Session, request: Request) -> JsonObject:
    """Prompts by name (MCP, prompts/list)."""
    prompts = [_described(definition) for definition in session.actors.prompts]
    return page_of("prompts", sorted(prompts, key=_name), request, key="name")


async def prompts_get(session: Session, request: Request) -> JsonObject:
    """One prompt with its texts filled in (MCP, prompts/get)."""
    definition = _definition(session, request.params.get("name"))
    arguments = _arguments(definition, request.params.get("arguments"))
    actor = session.actor
    run = partial(_rendered, session, actor, definition, arguments)
    return await with_client(session, actor, request, run)


async def completion_complete(session: Session, request: Request) -> JsonObject:
    """Values that go on from what was typed (MCP, completion/complete)."""
    match request.params:
        case {
            "ref": {"type": "ref/prompt", "name": str(name)},
            "argument": {"name": str(argument), "value": str(typed)},
        }:
            choices = _choices(_definition(session, name), argument)
        case {
            "ref": {"type": "ref/resource", "uri": str(uri)},
            "argument": {"name": str(argument), "value": str(typed)},
        }:
            _require_template(session, uri)
            context = request.params.get("context")
            choices = await anyio.to_thread.run_sync(
                _ids, session, uri, argument, context, limiter=session.threads
            )
        case _:
            raise RpcError(INVALID_PARAMS, "ref and argument {name, value} are required")
    values = [choice for choice in choices if choice.casefold().startswith(typed.casefold())]
    shown = values[:MAX_VALUES]
    more = len(values) > len(shown)
    return {"completion": {"values": shown, "total": len(values), "hasMore": more}}


async def _rendered(
    session: Session,
    actor: Actor,
    definition: PromptDefinition,
    arguments: dict[str, str],
    client: Client,
) -> JsonObject:
    context = session.make_context(actor.workspace, actor.origin(None), NO_PROGRESS, client)
    with asked_together():
        messages = await definition.render(arguments, context)
    return {
        "description": definition.description,
        "messages": [
            {"role": message.role, "content": message.content.block()} for message in messages
        ],
    }


def _described(definition: PromptDefinition) -> JsonObject:
    arguments = [
        {"name": known.name, "description": known.description, "required": known.required}
        for known in definition.arguments
    ]
    return {
        "name": definition.name,
        "description": definition.description,
        "arguments": arguments,
    }


def _name(prompt: JsonObject) -> str:
    return str(prompt["name"])


def _definition(session: Session, name: object) -> PromptDefinition:
    for definition in session.actors.prompts:
        if definition.name == name:
            return definition
    raise RpcError(INVALID_PARAMS, f"Unknown prompt: {name}")


def _arguments(definition: PromptDefinition, given: object) -> dict[str, str]:
    arguments = {} if given is None else given
    if not isinstance(arguments, dict):
        raise RpcError(INVALID_PARAMS, "arguments: an object is expected")
    for known in definition.arguments:
        value = arguments.get(known.name)
        if value is None and known.required:
            raise RpcError(INVALID_PARAMS, f"arguments: {known.name} is required")
    if not all(isinstance(value, str) for value in arguments.values()):
        raise RpcError(INVALID_PARAMS, "arguments: each value is a text")
    return {str(name): value for name, value in arguments.items()}


def _choices(definition: PromptDefinition, argument: str) -> Sequence[str]:
    for known in definition.arguments:
        if known.name == argument:
            return known.choices
    return ()


def _require_template(session: Session, uri: str) -> None:
    packs = (offered.uri for offered in session.actors.resources if offered.is_template)
    if uri not in (*_TEMPLATE_URIS, *packs):
        raise RpcError(INVALID_PARAMS, f"Unknown resource template: {uri}")


def _ids(session: Session, uri: str, argument: str, context: object) -> Sequence[str]:
    """Agents, and the memories of the agent that was chosen before."""
    if uri not in _TEMPLATE_URIS or f"{{{argument}}}" not in uri:
        return ()
    if argument == "agent":
        return sorted(session.actors.agent_names)
    match context:
        case {"arguments": {"agent": str(agent)}} if agent in session.actors.agent_names:
            return memory_ids(session.actor.workspace, agent)
    return ()
