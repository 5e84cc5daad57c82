"""The client as a tool sees it."""

from collections.abc import Mapping
from typing import Any

import pytest

from devloop_tools.storage.errors import ExpectedFailure
from devloop_tools.toolkit.client import (
    NO_CLIENT,
    Client,
    ClientRefused,
    Elicited,
    Question,
    elicitation,
    elicited,
    unheard,
)

FORM: dict[str, Any] = {"type": "object", "properties": {"名字": {"type": "string"}}}


def answering(answer: dict[str, Any], asked: list[Mapping[str, Question]]) -> Client:
    """A client that gives every question this answer, and notes what it was asked."""

    async def ask(questions: Mapping[str, Question]) -> Mapping[str, dict[str, Any]]:
        asked.append(questions)
        return dict.fromkeys(questions, answer)

    return Client(ask, unheard)


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ({"action": "accept", "content": {"名字": "小明"}}, Elicited("accept", {"名字": "小明"})),
        ({"action": "accept"}, Elicited("accept", {})),
        ({"action": "accept", "content": [1]}, Elicited("accept", {})),
        ({"action": "decline", "content": {"名字": "小明"}}, Elicited("decline", {})),
        ({"action": "cancel"}, Elicited("cancel", {})),
        ({"action": "同意"}, Elicited("cancel", {})),
        ({"action": None}, Elicited("cancel", {})),
        ({}, Elicited("cancel", {})),
    ],
)
def test_an_answer_is_one_of_three(answer: dict[str, Any], says: Elicited) -> None:
    assert elicited(answer) == says


async def test_a_form_is_asked_by_its_key() -> None:
    asked: list[Mapping[str, Question]] = []
    client = answering({"action": "accept", "content": {"名字": "小明"}}, asked)
    assert await client.elicit("谁 who", "名字?", FORM) == Elicited("accept", {"名字": "小明"})
    assert asked == [{"谁 who": elicitation("名字?", FORM)}]
    assert asked[0]["谁 who"].params == {
        "mode": "form",
        "message": "名字?",
        "requestedSchema": FORM,
    }


async def test_a_model_is_asked_and_its_answer_is_as_it_came() -> None:
    asked: list[Mapping[str, Question]] = []
    params = {"messages": [], "maxTokens": 1}
    answer = {"content": {"type": "text", "text": "好"}}
    assert await answering(answer, asked).sample("k", params) == answer
    assert asked == [{"k": Question("sampling/createMessage", params)}]


@pytest.mark.parametrize("answer", [{}, {"roots": None}, {"roots": "没有"}])
async def test_roots_that_make_no_sense_are_none(answer: dict[str, Any]) -> None:
    assert await answering(answer, []).roots("k") == []


async def test_roots_are_a_list() -> None:
    roots = [{"uri": "file:///项目"}]
    assert await answering({"roots": roots}, []).roots("k") == roots


async def test_without_a_client_every_question_is_refused() -> None:
    with pytest.raises(ClientRefused, match=r"elicitation/create: there is no client to ask"):
        await NO_CLIENT.elicit("k", "名字?", FORM)
    NO_CLIENT.log("info", "没人听 nobody hears")


def test_a_refusal_is_an_expected_failure_with_a_hint() -> None:
    refused = ClientRefused("the client has not declared roots")
    assert isinstance(refused, ExpectedFailure)
    assert refused.reason == "the client has not declared roots"
    assert "without it" in refused.hint
