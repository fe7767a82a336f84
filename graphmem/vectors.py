"""How an embedding is kept beside the ledger: its direction in whole numbers of one byte, or float16 as first releases did.

Invariant: what the graph gets is what was kept, so a rebuilt graph holds the same numbers as the first one.  A vector is
of unit length, so the largest number may stand for 127 and no scale need be kept.  The number of bytes tells the forms
apart: float16 is even; the one-byte form is odd, by an end mark where needed, a value that no number takes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from graphmem.errors import ModelError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_END = b"\x80"  # -128: the numbers go from -127 to 127


def pack(vector: NDArray[np.float32]) -> bytes:
    """A float32 vector of shape (dimension,) as one byte for each number.

    Raises:
        ModelError: a number is infinite or none at all.
    """
    import numpy as np

    largest = float(np.max(np.abs(vector), initial=0.0))
    if not np.isfinite(largest):
        raise ModelError("the embedder gave a vector that is not finite: nothing was recorded; check the model")
    scaled = vector.astype(np.float64) * (127.0 / largest if largest else 0.0)
    data = np.rint(scaled).astype(np.int8).tobytes()
    return data if len(data) % 2 else data + _END


def unpack(data: bytes) -> tuple[float, ...]:
    """The kept numbers as Python floats, as a 32-bit number holds them; the one-byte form comes out at unit length."""
    import numpy as np

    if len(data) % 2 == 0:
        return tuple(np.frombuffer(data, dtype="<f2").astype(np.float32).tolist())
    numbers = np.frombuffer(data.removesuffix(_END), dtype=np.int8).astype(np.float64)
    length = float(np.sqrt(numbers @ numbers))
    return tuple((numbers / length if length else numbers).astype(np.float32).tolist())


def unpacked(kept: Sequence[bytes]) -> NDArray[np.int8] | NDArray[np.float32]:
    """Vectors of one form and length, one to a row: the whole numbers as they are, or the float16 ones in 32 bits.

    A row points where the vector does, and need not be of unit length.
    """
    import numpy as np

    joined = b"".join(kept)
    if len(kept[0]) % 2 == 0:
        return np.frombuffer(joined, dtype="<f2").reshape(len(kept), -1).astype(np.float32)
    numbers = np.frombuffer(joined, dtype=np.int8).reshape(len(kept), -1)
    return numbers[:, :-1] if kept[0].endswith(_END) else numbers


def whole(vector: NDArray[np.float32]) -> NDArray[np.int8] | None:
    """The whole numbers that a vector of unit length was unpacked from, or None if it was not."""
    import numpy as np

    numbers = np.frombuffer(pack(vector).removesuffix(_END), dtype=np.int8)
    wide = numbers.astype(np.float64)
    length = float(np.sqrt(wide @ wide))
    return numbers if length and bool((vector == (wide / length).astype(np.float32)).all()) else None
