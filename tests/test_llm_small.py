"""A real model that invents: nothing that it proposes is stored unless somebody said it.  Runs with `-m model`."""

from pathlib import Path

import pytest
from llm_small import INSTALL, small_model, weights

from graphmem import Memory

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(weights() is None, reason=f"needs the small model: {INSTALL}"),
]
TRANSCRIPTS = Path(__file__).parents[1] / "graphmem" / "data" / "transcripts"


@pytest.fixture(scope="module")
def url():
    pytest.importorskip("pydantic_ai", reason="needs the extra `llm`")
    with small_model() as found:
        yield found


@pytest.mark.parametrize("name", ["mira.jsonl", "notes.txt"])
def test_of_all_that_a_small_model_proposes_nothing_is_stored_that_nobody_said(url, tmp_path, name, capsys):
    from graphmem.extractors.llm_connection import llm_extractor

    extractor = llm_extractor("SmolLM2", base_url=url, retries=0, timeout=600, size=3000, tokens=900, items=4, environ={})
    with Memory.open(tmp_path, user="u") as memory:
        report = memory.ingest(TRANSCRIPTS / name, extractor=extractor)
        said = {(turn.session, turn.id): turn for turn in memory._space.graph.turns()}
        kept = [item for statement in memory.statements() for item in statement.evidence]
        for item in kept:
            turn = said[item.session, item.turn]
            assert turn.role == item.role == "user"
            assert turn.text[item.start : item.end] == item.quote
        assert memory.verify().problems == ()
        stored = [s for s in memory.statements() if s.details.get("type") != "session"]
    counts = {}
    for item in report.rejected:
        counts[item.reason] = counts.get(item.reason, 0) + 1
    with capsys.disabled():
        made = len(report.recorded) + len(report.suggested) + len(report.corroborated)
        print(f"\n{name}: {report.cost} waiting {[w.reason for w in report.waiting]}")
        print(f"  proposed {made + len(report.rejected)}, refused {counts}, stored {[(s.tier, s.text) for s in stored]}")
    assert report.cost.requests > 0
