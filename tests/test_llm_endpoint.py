"""Asking over HTTP: answers that were written down, endpoints that fail in every way, and whose key goes where."""

import asyncio
import json
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

pytest.importorskip("pydantic_ai", reason="needs the extra `llm`")
pytest.importorskip("openai", reason="needs the extra `llm`")

from llm_server import dead_port, endpoint
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from pydantic_ai.models.test import TestModel

from graphmem import Memory
from graphmem.cli import run
from graphmem.errors import ExtractionFailed, InputError, MissingDependency
from graphmem.extractors.llm import LLMExtractor
from graphmem.extractors.llm_agent import AgentProposer
from graphmem.extractors.llm_connection import llm_extractor
from graphmem.sessions.parsing import parse

KEY = "key-that-nobody-may-see-7f3a"
TALK = {
    "id": "s1",
    "started": "2025-05-14T10:30:00+03:00",
    "turns": [{"id": "t1", "role": "user", "text": "I live in Turku."}],
}
ITEM = {"turn": "t1", "quote": "I live in Turku", "relation": "lives_in", "object": "Turku"}
KITCHEN = json.loads((Path(__file__).parent / "llm_answers" / "kitchen.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def server():
    with endpoint() as found:
        yield found


@pytest.fixture
def served(server, monkeypatch):
    server.mode, server.answers = "items", [{"items": [ITEM]}]
    server.requests.clear()
    server.keys.clear()
    monkeypatch.setenv("GRAPHMEM_API_KEY", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "key-of-another-endpoint")
    return server


def asking(served, **more):
    return llm_extractor("m", base_url=served.url, **{"retries": 0, **more})


def by_function(answer, **more):
    @asynccontextmanager
    async def connect():
        yield FunctionModel(answer) if callable(answer) else answer

    return LLMExtractor(AgentProposer(connect, where="the model", **more), model="f")


# ------------------------------------------------------------------ answers


def test_recorded_answers_become_exactly_the_claims_that_the_words_bear(served, tmp_path):
    served.answers = KITCHEN["answers"]
    with Memory.open(tmp_path, user="u") as memory:
        report = memory.ingest(KITCHEN["session"], extractor=asking(served))
        stated = {(s.predicate, s.object, s.polarity, s.evidence[0].quote) for s in memory.statements() if s.tier == "stated"}
        assert memory.verify().problems == ()
        (task,) = memory.open_items()
    assert stated >= {
        ("lives_in", "Vaasa", "positive", "We moved to Vaasa in January"),
        ("allergic_to", "shellfish", "positive", "I'm allergic to shellfish"),
    }
    assert not any(predicate in ("diet", "owns") for predicate, *_ in stated)
    assert task.details["due"].startswith("2026-03-1")
    refused = sorted(item.reason for item in report.rejected)
    assert {"negated", "not_the_users_words", "quote_not_found"} <= set(refused)
    assert (report.cost.requests, report.cost.input_tokens, report.cost.output_tokens) == (2, 200, 40)
    assert "peanuts" in served.requests[1]["messages"][-1]["content"]


def test_the_transcript_goes_out_as_data_and_the_schema_without_lengths(served):
    asking(served).extract(parse(TALK))
    (asked,) = served.requests
    system, user = asked["messages"]
    assert "I live in Turku." in user["content"] and "Turku" not in system["content"]
    schema = json.dumps(asked["response_format"])
    assert '"additionalProperties": false' in schema and "maxLength" not in schema


@pytest.mark.parametrize("form", ["tool", "native", "prompted"])
def test_an_endpoint_can_be_asked_in_three_ways(form):
    def answer(messages, info):
        if form == "tool":
            return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"items": [ITEM]})])
        return ModelResponse(parts=[TextPart(json.dumps({"items": [ITEM]}))])

    found = by_function(answer, form=form).extract(parse(TALK))
    assert [claim.object for claim in found.claims] == ["Turku"]


def test_what_a_model_makes_up_to_fit_the_schema_is_refused():
    found = by_function(TestModel()).extract(parse(TALK))
    assert found.claims == () and found.refusals


def test_it_can_be_asked_from_within_a_running_loop():
    async def inside():
        return by_function(TestModel()).extract(parse(TALK))

    assert asyncio.run(inside()).claims == ()


def test_a_second_answer_that_fails_leaves_what_the_first_one_held():
    calls = []

    def answer(messages, info):
        calls.append(1)
        if len(calls) > 1:
            return ModelResponse(parts=[TextPart("no idea")])
        items = [ITEM, {**ITEM, "quote": "I live in Kroatia"}]
        return ModelResponse(parts=[ToolCallPart(info.output_tools[0].name, {"items": items})])

    found = by_function(answer).extract(parse(TALK))
    assert [claim.object for claim in found.claims] == ["Turku"]
    assert len(calls) == 2


# ------------------------------------------------------------------ failures

FAILURES = {
    "401": ("unauthorized", "GRAPHMEM_API_KEY"),
    "403": ("unauthorized", "GRAPHMEM_API_KEY"),
    "404": ("model_unknown", "--model"),
    "400": ("request_rejected", "--answer"),
    "429": ("rate_limited", "wait"),
    "500": ("server_error", "later"),
    "503": ("server_error", "later"),
    "not json": ("malformed_answer", "rules"),
    "prose": ("malformed_answer", "rules"),
    "redirect": ("malformed_answer", "rules"),
    "cut off": ("unreachable", "--base-url"),
    "refusal": ("refused", "rules"),
    "filtered": ("refused", "rules"),
    "slow": ("timeout", "later"),
    "dead": ("unreachable", "start it"),
}


@pytest.mark.parametrize("mode", FAILURES)
def test_every_failure_keeps_the_session_and_says_what_to_do(served, tmp_path, mode):
    reason, told = FAILURES[mode]
    served.mode = mode
    url = f"http://127.0.0.1:{dead_port()}/v1" if mode == "dead" else served.url
    timeout = 0.6 if mode == "slow" else 30
    extractor = llm_extractor("m", base_url=url, retries=0, timeout=timeout)
    with Memory.open(tmp_path, user="u") as memory:
        report = memory.ingest(TALK, extractor=extractor)
        (waiting,) = report.waiting
        assert waiting.reason == reason
        assert told in waiting.problem and "\n" not in waiting.problem
        assert KEY not in report.model_dump_json()
        served.mode = "items"
        assert len(memory.extract(extractor=asking(served)).recorded) == 1
        assert memory.verify().problems == ()
    written = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert KEY.encode() not in written


def test_a_redirect_takes_the_transcript_nowhere(served):
    served.mode = "redirect"
    with pytest.raises(ExtractionFailed):
        asking(served).extract(parse(TALK))
    assert len(served.requests) == 1


def test_an_error_does_not_hold_what_the_endpoint_wrote(served):
    served.mode = "401"
    with pytest.raises(ExtractionFailed) as error:
        asking(served).extract(parse(TALK))
    assert KEY not in str(error.value) and "wrong" not in str(error.value)


# ------------------------------------------------------------------ keys and names


def test_with_a_base_url_only_the_key_for_it_is_sent(served, monkeypatch):
    asking(served).extract(parse(TALK))
    monkeypatch.delenv("GRAPHMEM_API_KEY")
    llm_extractor("m", base_url=served.url, retries=0, environ={}).extract(parse(TALK))
    assert served.keys == [f"Bearer {KEY}", "Bearer none"]


@pytest.mark.parametrize(
    ("model", "more", "error", "told"),
    [
        (None, {}, InputError, "--model"),
        ("gpt-5-mini", {}, InputError, "provider"),
        ("nobody:model", {}, InputError, "nobody"),
        ("openai:gpt-5-mini", {}, InputError, "OPENAI_API_KEY"),
        ("m", {"base_url": "localhost:8080"}, InputError, "http://"),
        ("m", {"base_url": "http://me:secret-word@127.0.0.1/v1"}, InputError, "GRAPHMEM_API_KEY"),
    ],
)
def test_a_model_that_cannot_be_asked_is_refused_by_name(model, more, error, told):
    with pytest.raises(error) as caught:
        llm_extractor(model, environ={}, **more)
    assert told in str(caught.value) and "secret-word" not in str(caught.value)


@pytest.mark.parametrize(("provider", "module"), [("anthropic", "anthropic"), ("google", "google.genai")])
def test_a_provider_without_its_package_names_the_remedy(monkeypatch, provider, module):
    from graphmem.extractors import llm_connection

    real = llm_connection.find_spec
    monkeypatch.setattr(llm_connection, "find_spec", lambda name: None if name == module else real(name))
    with pytest.raises(MissingDependency, match=rf"pip install 'pydantic-ai-slim\[{provider}\]'"):
        llm_extractor(f"{provider}:model", environ={})


def test_without_the_extra_the_remedy_is_named(monkeypatch):
    from graphmem.extractors import llm_connection

    monkeypatch.setattr(llm_connection, "find_spec", lambda name: None)
    with pytest.raises(MissingDependency, match=r"pip install 'graphmem\[llm\]'"):
        llm_extractor("openai:gpt-5-mini")


# ------------------------------------------------------------------ the command line


def test_the_command_records_says_what_to_do_and_goes_on_later(served, tmp_path, capsys):
    path = tmp_path / "talk.json"
    path.write_text(json.dumps(TALK), encoding="utf-8")
    by = ["--extractor", "llm", "--model", "m", "--base-url", served.url]
    where = ["--user", "u", "--home", str(tmp_path / "home")]
    served.mode = "401"
    assert run(["ingest", str(path), *by, *where]) == 3
    out = capsys.readouterr()
    assert "1 session, 1 turn" in out.out
    (line,) = out.err.strip().splitlines()
    assert "1 session recorded" in line and "GRAPHMEM_API_KEY" in line and "graphmem extract" in line
    assert KEY not in out.out + out.err

    served.mode = "items"
    assert run(["extract", *by, *where]) == 0
    out = capsys.readouterr()
    assert "1 statement recorded" in out.out and "1 request" in out.out and "100 tokens in" in out.out
    assert run(["ingest", str(path), *by, *where, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["waiting"] == []
    assert len(served.requests) == 2


def test_options_of_the_model_without_it_are_wrong_use(tmp_path, capsys):
    assert run(["extract", "--model", "m", "--user", "u", "--home", str(tmp_path)]) == 2
    assert "--extractor llm" in capsys.readouterr().err


def test_a_small_model_is_given_the_turns_to_choose_from_and_a_number_of_items(served):
    asking(served, items=3).extract(parse(TALK))
    schema = served.requests[0]["response_format"]["json_schema"]["schema"]
    assert schema["properties"]["items"]["maxItems"] == 3
    assert schema["$defs"]["Item"]["properties"]["turn"]["enum"] == ["t1"]
    assert set(schema["$defs"]["Item"]["required"]) == set(schema["$defs"]["Item"]["properties"])
