"""Who gives the key of keys: a passphrase, the keyring of the operating system, or the caller's own code (a KMS).

Invariant: a provider sees the space's key only to wrap and to unwrap it; what it writes beside the wrapped key (a salt, a
name) is no secret.  A wrapped key that does not open is KeyUnavailable, and nothing was written by then.
"""

from __future__ import annotations

import base64
import json
import secrets
from collections.abc import Callable
from typing import Any, NamedTuple, Protocol, runtime_checkable

from graphmem.errors import InputError, KeyUnavailable, MissingDependency
from graphmem.sealing.ciphers import KEY, Box, new_key, stretched

# RFC 9106, the second of its recommended settings: 64 MiB, three passes, four lanes.
MEMORY, PASSES, LANES = 64 << 10, 3, 4
MOST_MEMORY, MOST_PASSES = 1 << 20, 100  # what a keys file may ask of the machine
_UNSAFE = ("keyring.backends.null", "keyring.backends.fail", "keyrings.alt")


class Wrapped(NamedTuple):
    """A key under another: which kind of provider made it, what that noted, and the bytes."""

    method: str
    how: str
    data: bytes


@runtime_checkable
class Provider(Protocol):
    """What wraps the key of a space and unwraps it again; `about` must be the same both times."""

    def wrap(self, key: bytes, about: bytes) -> Wrapped:
        """The key under the provider's own."""

    def unwrap(self, wrapped: Wrapped, about: bytes) -> bytes:
        """The key that was wrapped.

        Raises:
            KeyUnavailable: this provider cannot open it.
        """


class Passphrase:
    """A passphrase, stretched with Argon2id.

    Args:
        text: the passphrase, character by character.
        memory: KiB that one guess costs.
        passes: how often they are gone through.
    """

    def __init__(self, text: str, *, memory: int = MEMORY, passes: int = PASSES) -> None:
        if not isinstance(text, str) or not text.strip():
            raise InputError("the passphrase is empty: give one of several words")
        if not 8 * LANES <= memory <= MOST_MEMORY or not 1 <= passes <= MOST_PASSES:
            raise InputError(f"memory={memory!r} and passes={passes!r} cannot be used: take up to 1 GiB and 100 passes")
        self._text, self._memory, self._passes = text, memory, passes

    def __repr__(self) -> str:
        return "Passphrase(...)"

    def wrap(self, key: bytes, about: bytes) -> Wrapped:
        """See `Provider`."""
        salt = secrets.token_bytes(16)
        how = {"salt": salt.hex(), "memory": self._memory, "passes": self._passes, "lanes": LANES}
        return Wrapped("passphrase", json.dumps(how), self._box(how).seal(key, about))

    def unwrap(self, wrapped: Wrapped, about: bytes) -> bytes:
        """See `Provider`."""
        check_method(wrapped, "passphrase")
        try:
            return self._box(json.loads(wrapped.how)).open(wrapped.data, about)
        except (ValueError, KeyError, TypeError, OverflowError) as error:
            raise KeyUnavailable(
                "the passphrase does not open the memory's keys: check it, or put back a copy of the keys if they were "
                "altered; nothing was changed"
            ) from error

    def _box(self, how: dict[str, Any]) -> Box:
        memory, passes, lanes = int(how["memory"]), int(how["passes"]), int(how["lanes"])
        if not 8 * lanes <= memory <= MOST_MEMORY or not 1 <= passes <= MOST_PASSES or not 1 <= lanes <= 64:
            raise ValueError("it asks for more than a passphrase may cost")
        return Box(stretched(self._text, bytes.fromhex(how["salt"]), memory=memory, passes=passes, lanes=lanes))


class Keyring:
    """A random key in the keyring of the operating system; made there when it is first needed.

    Args:
        service: under which name it stands there.
        name: which of that service's keys.
    """

    def __init__(self, service: str = "graphmem", *, name: str = "key") -> None:
        if not service or not name:
            raise InputError("the keyring needs the name of a service and of a key: give both")
        self._service, self._name = service, name

    def __repr__(self) -> str:
        return f"Keyring({self._service!r}, name={self._name!r})"

    def wrap(self, key: bytes, about: bytes) -> Wrapped:
        """See `Provider`."""
        kept = self._kept()
        if kept is None:
            self._backend().set_password(self._service, self._name, base64.b64encode(new_key()).decode())
            kept = self._kept()
        if kept is None:
            raise KeyUnavailable(f"the keyring did not keep the key of {self._service!r}: check it, or use a passphrase")
        return Wrapped("keyring", json.dumps({"service": self._service, "name": self._name}), Box(kept).seal(key, about))

    def unwrap(self, wrapped: Wrapped, about: bytes) -> bytes:
        """See `Provider`."""
        check_method(wrapped, "keyring")
        kept = self._kept()
        if kept is None:
            raise KeyUnavailable(
                f"the keyring has no key {self._name!r} of {self._service!r}: unlock it, or name the right one"
            )
        try:
            return Box(kept).open(wrapped.data, about)
        except ValueError as error:
            raise KeyUnavailable(
                f"the key {self._name!r} of {self._service!r} in the keyring does not open the memory's keys: name the right "
                "one, or put back a copy of the keys; nothing was changed"
            ) from error

    def _kept(self) -> bytes | None:
        said = self._backend().get_password(self._service, self._name)
        try:
            key = None if said is None else base64.b64decode(said, validate=True)
        except ValueError:
            key = b""
        if key is not None and len(key) != KEY:
            raise KeyUnavailable(f"what the keyring has as {self._name!r} of {self._service!r} is no key: name another")
        return key

    def _backend(self) -> Any:
        try:
            import keyring
        except ImportError as error:
            raise MissingDependency("keyring", "pip install keyring", "a key from the system's keyring") from error
        backend = keyring.get_keyring()
        for one in (backend, *getattr(backend, "backends", ())):
            kind = type(one)
            if kind.__module__.startswith(_UNSAFE) or "plaintext" in kind.__name__.casefold():
                raise KeyUnavailable(
                    f"the keyring here ({kind.__module__}.{kind.__name__}) keeps no secrets: use a passphrase or a callback"
                )
        return backend


class Callback:
    """The caller's own code, such as a client of a key management service.

    Args:
        wrap: gives for a key of 32 bytes and a context the bytes to be kept.
        unwrap: gives for those and the same context the key again; raises what it likes if it cannot.
        name: is noted beside the keys, to tell which service they need.
    """

    def __init__(
        self, wrap: Callable[[bytes, bytes], bytes], unwrap: Callable[[bytes, bytes], bytes], *, name: str = "callback"
    ) -> None:
        self._wrap, self._unwrap, self._name = wrap, unwrap, name

    def __repr__(self) -> str:
        return f"Callback(name={self._name!r})"

    def wrap(self, key: bytes, about: bytes) -> Wrapped:
        """See `Provider`."""
        return Wrapped("callback", json.dumps({"name": self._name}), bytes(self._asked(self._wrap, key, about)))

    def unwrap(self, wrapped: Wrapped, about: bytes) -> bytes:
        """See `Provider`."""
        check_method(wrapped, "callback")
        key = self._asked(self._unwrap, wrapped.data, about)
        if not isinstance(key, bytes) or len(key) != KEY:
            raise KeyUnavailable(f"the callback {self._name!r} gave what is no key: check the service behind it")
        return key

    def _asked(self, act: Callable[[bytes, bytes], bytes], data: bytes, about: bytes) -> bytes:
        try:
            return act(data, about)
        except Exception as error:  # foreign code, which may raise anything
            raise KeyUnavailable(
                f"the callback {self._name!r} failed ({type(error).__name__}): check the service behind it and repeat; "
                "nothing was changed"
            ) from error


def check_method(wrapped: Wrapped, method: str) -> None:
    """KeyUnavailable where a key was wrapped by another kind of provider."""
    if wrapped.method != method:
        raise KeyUnavailable(
            f"the memory's keys are under a {wrapped.method} and a {method} was given: open it with the former, or rotate to "
            "the latter"
        )
