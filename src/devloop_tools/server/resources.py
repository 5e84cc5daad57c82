"""resources/*: the project's files and those of packs, for a client that reads by URI."""

from collections.abc import Iterator
from functools import partial

import anyio.to_thread

from devloop_tools.domain.project_resources import (
    TEMPLATES,
    ProjectResource,
    find_resource,
    list_resources,
)
from devloop_tools.protocol.errors import INTERNAL_ERROR, INVALID_PARAMS, RpcError
from devloop_tools.protocol.messages import JsonObject, Request
from devloop_tools.server.actors import Actor
from devloop_tools.server.clients import with_client
from devloop_tools.server.era import claims_modern
from devloop_tools.server.paging import page_of
from devloop_tools.server.session import Session
from devloop_tools.server.watching import watch, watch_no_more
from devloop_tools.storage.errors import StorageError, ToolSandboxError
from devloop_tools.toolkit.client import Client
from devloop_tools.toolkit.content import contents
from devloop_tools.toolkit.progress import NO_PROGRESS
from devloop_tools.toolkit.resources import ResourceDefinition

NOT_FOUND = -32002
"""Resource not found, up to 2025-11-25; 2026-07-28 says -32602."""

MAX_SUBSCRIBED = 1000


async def resources_list(session: Session, request: Request) -> JsonObject:
    """The resources that are there now (MCP, resources/list)."""
    actor = session.actor
    found = await anyio.to_thread.run_sync(
        partial(_listed, session, actor), limiter=session.threads
    )
    return page_of("resources", found, request, key="uri")


async def resources_templates_list(session: Session, request: Request) -> JsonObject:
    """URI templates (MCP, resources/templates/list)."""
    known = [
        {"uriTemplate": uri, "name": name, "description": text, "mimeType": mime}
        for uri, name, text, mime in TEMPLATES
    ]
    packs = [
        {
            "uriTemplate": offered.uri,
            "name": offered.name,
            "description": offered.description,
            "mimeType": offered.mime_type,
        }
        for offered in session.actors.resources
        if offered.is_template
    ]
    return page_of("resourceTemplates", [*known, *packs], request, key="uriTemplate")


async def resources_read(session: Session, request: Request) -> JsonObject:
    """What is at a URI now (MCP, resources/read)."""
    uri, actor = _uri(request), session.actor
    for definition in session.actors.resources:
        if (values := definition.match(uri)) is not None:
            run = partial(_read_pack, session, actor, definition, uri, values)
            return await with_client(session, actor, request, run)
    found = find_resource(actor.workspace, uri, session.actors.agent_names)
    content = None
    if found is not None:
        content = await anyio.to_thread.run_sync(_content, found, limiter=session.threads)
    if found is None or content is None:
        raise _not_found(session, request, uri)
    text = content.decode("utf-8", "replace")
    return {"contents": [contents(uri, text, found.mime_type)]}


async def resources_subscribe(session: Session, request: Request) -> JsonObject:
    """Say `notifications/resources/updated` when this one changes (up to 2025-11-25)."""
    uri = _uri(request)
    named = known_uri(session, uri)
    if named is None:
        raise _not_found(session, request, uri)
    await watch(session)
    if uri not in session.subscribed_uris and len(session.subscribed_uris) >= MAX_SUBSCRIBED:
        raise RpcError(INVALID_PARAMS, f"uri: at most {MAX_SUBSCRIBED} subscriptions")
    session.subscribed_uris[uri] = named
    return {}


async def resources_unsubscribe(session: Session, request: Request) -> JsonObject:
    """Say no more of this one."""
    session.subscribed_uris.pop(_uri(request), None)
    watch_no_more(session)
    return {}


def known_uri(session: Session, uri: str) -> str | None:
    """The URI by which events name the resource at `uri`; None where there can be none."""
    if any(definition.match(uri) is not None for definition in session.actors.resources):
        return uri
    found = find_resource(session.actor.workspace, uri, session.actors.agent_names)
    return found.uri if found else None


def _listed(session: Session, actor: Actor) -> list[JsonObject]:
    return [*_of_packs(session), *_of_project(session, actor)]


def _of_packs(session: Session) -> Iterator[JsonObject]:
    for offered in session.actors.resources:
        if not offered.is_template:
            yield {
                "uri": offered.uri,
                "name": offered.name,
                "description": offered.description,
                "mimeType": offered.mime_type,
            }


def _of_project(session: Session, actor: Actor) -> Iterator[JsonObject]:
    for found in list_resources(actor.workspace, session.actors.agent_names):
        yield {
            "uri": found.uri,
            "name": found.name,
            "description": found.description,
            "mimeType": found.mime_type,
        }


async def _read_pack(
    session: Session,
    actor: Actor,
    definition: ResourceDefinition,
    uri: str,
    values: dict[str, str],
    client: Client,
) -> JsonObject:
    context = session.make_context(actor.workspace, actor.origin(None), NO_PROGRESS, client)
    content = await session.tool_threads.run(partial(definition.read, ctx=context, **values))
    return {"contents": [contents(uri, content, definition.mime_type)]}


def _content(resource: ProjectResource) -> bytes | None:
    """What is there. A file that is closed to the agent, or is none, reads as one that isn't."""
    try:
        return resource.read()
    except ToolSandboxError:
        return None
    except StorageError as exc:
        raise RpcError(INTERNAL_ERROR, str(exc)) from None


def _uri(request: Request) -> str:
    uri = request.params.get("uri")
    if not isinstance(uri, str):
        raise RpcError(INVALID_PARAMS, "uri: a text is required")
    return uri


def _not_found(session: Session, request: Request, uri: str) -> RpcError:
    modern = claims_modern(request.params, session.offered)
    code = INVALID_PARAMS if modern else NOT_FOUND
    return RpcError(code, f"Resource not found: {uri}", {"uri": uri})
