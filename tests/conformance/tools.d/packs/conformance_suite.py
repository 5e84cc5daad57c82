"""What the MCP conformance suite expects a server to offer: its tools, resources and prompts.

The names and texts are the suite's. Everything is written with the toolkit, as any pack is.
"""

import base64
import json
import struct
from collections.abc import Sequence
from typing import Any

import anyio
from pydantic import Field

from devloop_tools.toolkit import READ, ToolContext, ToolDefinition, ToolInput, tool
from devloop_tools.toolkit.client import Elicited, Question, elicitation, elicited
from devloop_tools.toolkit.content import Audio, Content, Embedded, Image, Text
from devloop_tools.toolkit.json_schema import SchemaArguments
from devloop_tools.toolkit.prompts import PromptArgument, PromptMessage, prompt
from devloop_tools.toolkit.resources import resource

RED_PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4z8DwHwAFAAH/iZk9HQAAAABJRU5ErkJggg=="
)
SILENCE = (
    b"RIFF$\0\0\0WAVEfmt "
    + struct.pack("<IHHIIHH", 16, 1, 1, 8000, 8000, 1, 8)
    + b"data"
    + bytes(4)
)
PAUSE_S = 0.05
"""What the suite asks for between two notifications of one call."""

Schema = dict[str, Any]


class NoInput(ToolInput):
    pass


class SamplingInput(ToolInput):
    prompt: str = Field(max_length=1000, description="What the client's model is asked.")


class ElicitationInput(ToolInput):
    message: str = Field(max_length=1000, description="What the person is asked.")


def form(*required: str, **properties: Schema) -> Schema:
    """The schema of a form."""
    return {"type": "object", "properties": properties, "required": list(required)}


# Content


@tool(READ)
async def test_simple_text(args: NoInput, ctx: ToolContext) -> str:
    """Return a text."""
    return "This is a simple text response for testing."


@tool(READ)
async def test_image_content(args: NoInput, ctx: ToolContext) -> Image:
    """Return an image."""
    return Image(RED_PIXEL, "image/png")


@tool(READ)
async def test_audio_content(args: NoInput, ctx: ToolContext) -> Audio:
    """Return a sound."""
    return Audio(SILENCE, "audio/wav")


@tool(READ)
async def test_embedded_resource(args: NoInput, ctx: ToolContext) -> Embedded:
    """Return a resource with its content."""
    return Embedded("test://embedded-resource", "This is an embedded resource content.")


@tool(READ)
async def test_multiple_content_types(args: NoInput, ctx: ToolContext) -> list[Content]:
    """Return a text, an image and a resource."""
    content = json.dumps({"test": "data", "value": 123})
    return [
        Text("Multiple content types test:"),
        Image(RED_PIXEL, "image/png"),
        Embedded("test://mixed-content-resource", content, "application/json"),
    ]


@tool(READ)
async def test_error_handling(args: NoInput, ctx: ToolContext) -> str:
    """Fail."""
    raise RuntimeError("This tool intentionally returns an error for testing")


# Notifications


@tool(READ)
async def test_tool_with_logging(args: NoInput, ctx: ToolContext) -> str:
    """Send the client three messages."""
    ctx.client.log("info", "Tool execution started")
    await anyio.sleep(PAUSE_S)
    ctx.client.log("info", "Tool processing data")
    await anyio.sleep(PAUSE_S)
    ctx.client.log("info", "Tool execution completed")
    return "Three messages were sent."


@tool(READ)
async def test_logging_tool(args: NoInput, ctx: ToolContext) -> str:
    """Send the client a message, if it wants any."""
    ctx.client.log("info", "Tool execution started")
    return "A message was sent to whoever wants it."


@tool(READ)
async def test_tool_with_progress(args: NoInput, ctx: ToolContext) -> str:
    """Report progress three times."""
    for progress in (0, 50, 100):
        ctx.progress.report(progress, 100)
        await anyio.sleep(PAUSE_S)
    return "Progress was reported three times."


@tool(READ)
async def test_reconnection(args: NoInput, ctx: ToolContext) -> str:
    """Return a text; whether a stream is closed on the way is up to the transport."""
    return "The call went through."


# Asking the client

NAME = form("name", name={"type": "string"})


def sampling(text: str, max_tokens: int) -> Question:
    """A question to the client's model."""
    message = {"role": "user", "content": {"type": "text", "text": text}}
    return Question("sampling/createMessage", {"messages": [message], "maxTokens": max_tokens})


def told(answer: Elicited) -> str:
    """An answer as the suite wants to read it."""
    return f"Elicitation completed: action={answer.action}, content={json.dumps(answer.content)}"


async def sampled(ctx: ToolContext, key: str, text: str, max_tokens: int) -> str:
    """What the client's model says."""
    answer = await ctx.client.ask({key: sampling(text, max_tokens)})
    return f"LLM response: {answer[key].get('content', {}).get('text', '')}"


@tool(READ)
async def test_sampling(args: SamplingInput, ctx: ToolContext) -> str:
    """Let the client's model answer."""
    return await sampled(ctx, "prompt", args.prompt, 100)


@tool(READ)
async def test_missing_capability(args: NoInput, ctx: ToolContext) -> str:
    """Ask for something that only some clients can do."""
    return await sampled(ctx, "prompt", "Is anybody there?", 10)


@tool(READ)
async def test_elicitation(args: ElicitationInput, ctx: ToolContext) -> str:
    """Ask a person for a name and an address."""
    schema = form(
        "username",
        "email",
        username={"type": "string", "description": "User's response"},
        email={"type": "string", "description": "User's email address"},
    )
    answer = await ctx.client.elicit("person", args.message, schema)
    return f"User response: action={answer.action}, content={json.dumps(answer.content)}"


@tool(READ)
async def test_elicitation_sep1034_defaults(args: NoInput, ctx: ToolContext) -> str:
    """Ask with a default value of each kind."""
    schema = form(
        name={"type": "string", "default": "John Doe"},
        age={"type": "integer", "default": 30},
        score={"type": "number", "default": 95.5},
        status={"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        verified={"type": "boolean", "default": True},
    )
    return told(await ctx.client.elicit("person", "Please look these over", schema))


@tool(READ)
async def test_elicitation_sep1330_enums(args: NoInput, ctx: ToolContext) -> str:
    """Ask with a choice of each kind."""
    options = ["option1", "option2", "option3"]
    titled = [
        {"const": f"value{number}", "title": f"{word} Option"}
        for number, word in enumerate(("First", "Second", "Third"), start=1)
    ]
    schema = form(
        untitledSingle={"type": "string", "enum": options},
        titledSingle={"type": "string", "oneOf": titled},
        legacyEnum={
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        untitledMulti={"type": "array", "items": {"type": "string", "enum": options}},
        titledMulti={"type": "array", "items": {"anyOf": titled}},
    )
    return told(await ctx.client.elicit("choices", "Please choose", schema))


@tool(READ)
async def test_streaming_elicitation(args: NoInput, ctx: ToolContext) -> str:
    """Report progress, then ask."""
    ctx.progress.report(1, 2)
    return told(await ctx.client.elicit("name", "What is your name?", NAME))


@tool(READ)
async def test_input_required_result_elicitation(args: NoInput, ctx: ToolContext) -> str:
    """Greet a person by name."""
    answer = await ctx.client.elicit("user_name", "What is your name?", NAME)
    return f"Hello, {answer.content.get('name', 'stranger')}!"


@tool(READ)
async def test_input_required_result_sampling(args: NoInput, ctx: ToolContext) -> str:
    """Let the client's model name a capital."""
    return await sampled(ctx, "capital_question", "What is the capital of France?", 100)


@tool(READ)
async def test_input_required_result_list_roots(args: NoInput, ctx: ToolContext) -> str:
    """Name the client's folders."""
    return f"Roots: {json.dumps(await ctx.client.roots('client_roots'))}"


@tool(READ)
async def test_input_required_result_request_state(args: NoInput, ctx: ToolContext) -> str:
    """Wait for a yes."""
    schema = form("ok", ok={"type": "boolean"})
    answer = await ctx.client.elicit("confirm", "Please confirm", schema)
    return f"state-ok: {answer.action}"


@tool(READ)
async def test_input_required_result_multiple_inputs(args: NoInput, ctx: ToolContext) -> str:
    """Ask three things at once."""
    answers = await ctx.client.ask(
        {
            "user_name": elicitation("What is your name?", NAME),
            "greeting": sampling("Generate a greeting", 50),
            "client_roots": Question("roots/list"),
        }
    )
    return json.dumps(answers)


@tool(READ)
async def test_input_required_result_multi_round(args: NoInput, ctx: ToolContext) -> str:
    """Ask one thing after the other."""
    name = await ctx.client.elicit("step1", "Step 1: What is your name?", NAME)
    schema = form("color", color={"type": "string"})
    color = await ctx.client.elicit("step2", "Step 2: What is your favorite color?", schema)
    return f"{name.content.get('name')} likes {color.content.get('color')}"


@tool(READ)
async def test_input_required_result_tampered_state(args: NoInput, ctx: ToolContext) -> str:
    """Wait for a yes that nobody can forge."""
    schema = form("ok", ok={"type": "boolean"})
    return told(await ctx.client.elicit("confirm", "Please confirm", schema))


@tool(READ)
async def test_input_required_result_capabilities(args: NoInput, ctx: ToolContext) -> str:
    """Ask the client's model, and nobody else."""
    return await sampled(ctx, "question", "Is a person needed for this?", 10)


# A schema that is more than a model can say

JSON_SCHEMA: Schema = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {key: {"type": "string"} for key in ("name", "phone", "email")}
    | {
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}


async def _take(args: dict[str, Any], ctx: ToolContext) -> str:
    return f"Taken: {json.dumps(args, sort_keys=True)}"


json_schema_2020_12_tool = ToolDefinition(
    "json_schema_2020_12_tool", "Tool with JSON Schema 2020-12 features",
    SchemaArguments(JSON_SCHEMA), str, READ, _take, is_async=True,
)  # fmt: skip


# Resources


@resource("test://static-text")
def static_text(ctx: ToolContext) -> str:
    """A text that stays."""
    return "This is the content of the static text resource."


@resource("test://static-binary", mime_type="image/png")
def static_binary(ctx: ToolContext) -> bytes:
    """An image that stays."""
    return RED_PIXEL


@resource("test://template/{id}/data", mime_type="application/json")
def template_data(ctx: ToolContext, id: str) -> str:
    """Something for each id."""
    return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


@resource("test://watched-resource")
def watched_resource(ctx: ToolContext) -> str:
    """A text that could change."""
    return "Watched resource content"


# Prompts


@prompt()
async def test_simple_prompt(args: dict[str, str], ctx: ToolContext) -> Sequence[PromptMessage]:
    """One message."""
    return [PromptMessage("user", Text("This is a simple prompt for testing."))]


@prompt(
    PromptArgument("arg1", "First test argument", choices=("test value", "testing", "other")),
    PromptArgument("arg2", "Second test argument"),
)
async def test_prompt_with_arguments(
    args: dict[str, str], ctx: ToolContext
) -> Sequence[PromptMessage]:
    """A message with two gaps."""
    text = f"Prompt with arguments: arg1='{args['arg1']}', arg2='{args['arg2']}'"
    return [PromptMessage("user", Text(text))]


@prompt(PromptArgument("resourceUri", "URI of the resource to embed"))
async def test_prompt_with_embedded_resource(
    args: dict[str, str], ctx: ToolContext
) -> Sequence[PromptMessage]:
    """A resource, and what to do with it."""
    content = "Embedded resource content for testing."
    return [
        PromptMessage("user", Embedded(args["resourceUri"], content)),
        PromptMessage("user", Text("Please process the embedded resource above.")),
    ]


@prompt()
async def test_prompt_with_image(args: dict[str, str], ctx: ToolContext) -> Sequence[PromptMessage]:
    """An image, and what to do with it."""
    return [
        PromptMessage("user", Image(RED_PIXEL, "image/png")),
        PromptMessage("user", Text("Please analyze the image above.")),
    ]


@prompt()
async def test_input_required_result_prompt(
    args: dict[str, str], ctx: ToolContext
) -> Sequence[PromptMessage]:
    """A message about something that is asked first."""
    question = elicitation(
        "What context should the prompt use?", form("context", context={"type": "string"})
    )
    answer = elicited((await ctx.client.ask({"user_context": question}))["user_context"])
    return [PromptMessage("user", Text(f"Use this context: {answer.content.get('context', '')}"))]
