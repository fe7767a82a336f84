"""A memory for AI agents that can prove what it knows.

What was said goes into a ledger, what it means goes into a graph, and nothing is in the graph that cannot be traced
to an exact quote in the ledger.  Public names are loaded on first use, so that `import graphmem` stays light.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

# In a checkout `ontology` and `extractors` lie beside this package, in a wheel inside it.
if not (Path(__file__).parent / "ontology").is_dir():
    __path__.append(str(Path(__file__).parent.parent))

if TYPE_CHECKING:
    from graphmem.errors import GraphmemError
    from graphmem.memory import Memory
    from graphmem.model import Session, Statement, Turn

__all__ = ["GraphmemError", "Memory", "Session", "Statement", "Turn", "__version__"]
__version__ = "0.1.0"

_HOME = {
    "GraphmemError": "graphmem.errors",
    "Memory": "graphmem.memory",
    "Session": "graphmem.model",
    "Statement": "graphmem.model",
    "Turn": "graphmem.model",
}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return __all__
