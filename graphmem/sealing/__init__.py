"""Sealed memories: whose key opens one (`Passphrase`, `Keyring`, `Callback`), and what is done with its keys."""

from graphmem.sealing.providers import Callback, Keyring, Passphrase, Provider

__all__ = ["Callback", "Keyring", "Passphrase", "Provider"]
