"""How an embedding is kept beside the ledger: float16, little endian, unit length.

Invariant: what the graph gets is what was kept, so a rebuilt graph holds the same numbers as the first one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def pack(vector: NDArray[np.float32]) -> bytes:
    """A float32 vector of shape (dimension,) as float16 bytes."""
    return vector.astype("<f2").tobytes()


def unpack(data: bytes) -> tuple[float, ...]:
    """The kept numbers as Python floats."""
    import numpy as np

    if len(data) % 2:
        return ()  # a damaged vector is none; the graph refuses it by its length
    return tuple(np.frombuffer(data, dtype="<f2").astype(np.float32).tolist())
