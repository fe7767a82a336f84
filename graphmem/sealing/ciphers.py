"""The few ciphers that sealing is made of, and nothing else that knows the library behind them.

Invariant: what does not open under its key and its context is a ValueError, never other bytes.  Keys and nonces come from
the system and never from a caller's source of randomness: one that repeats would give away what is sealed.
"""

from __future__ import annotations

import secrets
import unicodedata
from importlib import import_module
from typing import Any

from graphmem.errors import InputError, MissingDependency

KEY = 32
NONCE = 12
STEP = 256  # lengths are told in steps of so many bytes
_LENGTH = 4


def _part(name: str) -> Any:
    """A module of the library, which is an extra and takes a while to load."""
    try:
        return import_module(f"cryptography.{name}")
    except ImportError as error:
        raise MissingDependency("cryptography", "pip install 'graphmem[sealed]'", "a sealed memory") from error


def new_key() -> bytes:
    """A random key."""
    return secrets.token_bytes(KEY)


class Box:
    """AES-256-GCM under one key, each time with a random nonce, which stands before what it seals."""

    def __init__(self, key: bytes) -> None:
        self._cipher = _part("hazmat.primitives.ciphers.aead").AESGCM(key)
        self._refused = _part("exceptions").InvalidTag

    def seal(self, data: bytes, about: bytes) -> bytes:
        """The data sealed, in the context `about`, without which it does not open."""
        nonce = secrets.token_bytes(NONCE)
        sealed: bytes = self._cipher.encrypt(nonce, data, about)
        return nonce + sealed

    def open(self, data: bytes, about: bytes) -> bytes:
        """What was sealed.

        Raises:
            ValueError: it was altered, or sealed under another key or in another context.
        """
        try:
            opened: bytes = self._cipher.decrypt(data[:NONCE], data[NONCE:], about)
        except self._refused as error:
            raise ValueError("it was altered, or sealed under another key") from error
        return opened


class Same:
    """AES-SIV under one key: the same always gives the same, so that it can be looked up; each is sealed in one place only."""

    def __init__(self, key: bytes) -> None:
        self._cipher = _part("hazmat.primitives.ciphers.aead").AESSIV(key)
        self._refused = _part("exceptions").InvalidTag

    def seal(self, data: bytes, about: bytes) -> bytes:
        """The data sealed in the context `about`."""
        sealed: bytes = self._cipher.encrypt(data, [about])
        return sealed

    def open(self, data: bytes, about: bytes) -> bytes:
        """What was sealed.

        Raises:
            ValueError: it was altered, or sealed under another key or in another context.
        """
        try:
            opened: bytes = self._cipher.decrypt(data, [about])
        except self._refused as error:
            raise ValueError("it was altered, or sealed under another key") from error
        return opened


class Blocks:
    """AES on blocks of 16 bytes, each for itself: a permutation of names, so that equal ones can be found."""

    SIZE = 16

    def __init__(self, key: bytes) -> None:
        base, modes = _part("hazmat.primitives.ciphers"), _part("hazmat.primitives.ciphers.modes")
        algorithm = _part("hazmat.primitives.ciphers.algorithms").AES(key)
        self._cipher = base.Cipher(algorithm, modes.ECB())

    def seal(self, data: bytes) -> bytes:
        """Whole blocks, each in the place of another."""
        sealed: bytes = self._cipher.encryptor().update(data)
        return sealed

    def open(self, data: bytes) -> bytes:
        """The blocks that were there.

        Raises:
            ValueError: these are no whole blocks.
        """
        if len(data) % self.SIZE:
            raise ValueError("the names are no whole blocks")
        opened: bytes = self._cipher.decryptor().update(data)
        return opened


def derived(key: bytes, purpose: str, length: int = KEY) -> bytes:
    """A key for one purpose, from which neither the first nor that of another purpose follows (HKDF-SHA-256)."""
    hkdf = _part("hazmat.primitives.kdf.hkdf").HKDF
    sha256 = _part("hazmat.primitives.hashes").SHA256
    made: bytes = hkdf(sha256(), length, None, f"graphmem sealing: {purpose}".encode()).derive(key)
    return made


def stretched(text: str, salt: bytes, *, memory: int, passes: int, lanes: int) -> bytes:
    """A key from a passphrase, at a cost that makes guessing slow (Argon2id); `memory` in KiB.

    It is one key however a keyboard composes its letters (Unicode NFC).
    """
    try:
        words = unicodedata.normalize("NFC", text).encode()
    except UnicodeEncodeError:
        # Without its cause, which holds the passphrase.
        raise InputError("the passphrase holds bytes that are no text: give it in UTF-8") from None
    module, errors = _part("hazmat.primitives.kdf.argon2"), _part("exceptions")
    how = {"salt": salt, "length": KEY, "iterations": passes, "lanes": lanes, "memory_cost": memory}
    try:
        made: bytes = module.Argon2id(**how).derive(words)
    except errors.UnsupportedAlgorithm as error:
        raise MissingDependency("cryptography with Argon2id", "pip install 'cryptography>=44'", "a passphrase") from error
    return made


def padded(data: bytes) -> bytes:
    """The data with its length before it, filled up to a whole number of steps."""
    whole = len(data).to_bytes(_LENGTH, "big") + data
    return whole + bytes(-len(whole) % STEP)


def unpadded(data: bytes) -> bytes:
    """The data that was padded.

    Raises:
        ValueError: it was not.
    """
    end = _LENGTH + int.from_bytes(data[:_LENGTH], "big")
    if len(data) < _LENGTH or end > len(data):
        raise ValueError("it is shorter than it says")
    return data[_LENGTH:end]
