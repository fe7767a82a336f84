"""Named errors: one sentence that says what is wrong, where, and what to do.

Invariant: every error that a user can cause is one of these, its message is a single line, and raising it leaves the
store as it was.  `exit_code` is what the command line returns for it: 2 for wrong use or bad input, 3 for a store or a
language model that cannot be used.  A secret that the caller passed is masked in the message: messages end up in logs.
"""

from __future__ import annotations

from graphmem.personal.masks import masked


class GraphmemError(Exception):
    """Base of all errors of graphmem; the message is one line."""

    exit_code = 2

    def __init__(self, message: str) -> None:
        super().__init__(masked(" ".join(str(message).split())))


class InputError(GraphmemError, ValueError):
    """The caller gave something that cannot be used: wrong type, empty, unknown, out of range."""


class SessionError(InputError):
    """A session or a transcript file cannot be read; names the file or session and the place."""


class UnknownFormat(SessionError):
    """A file is in none of the known transcript formats; names what was tried."""


class NaiveTime(InputError):
    """A time without an offset from UTC."""


class LimitExceeded(InputError):
    """The input is larger than a documented limit."""


class UserError(InputError):
    """The user or space that was named cannot own a memory."""


class StatementNotFound(InputError, LookupError):
    """No statement has this id."""


class NothingKnown(InputError, LookupError):
    """Nothing in the memory is known by the name, or holds the words, that were given."""


class WasForgotten(InputError):
    """The owner states what was forgotten before, without saying that it may be kept again."""


class HashMismatch(InputError):
    """A confirmation was given for other text than the statement's."""


class QuestionError(InputError):
    """A question was given with an answer that it does not take."""


class QuestionAnswered(QuestionError):
    """The question was answered before; each takes one answer."""


class QuestionExpired(QuestionError):
    """The question was asked so long ago that its id takes no answer any more; it is asked under a new one."""


class QuestionChanged(QuestionError, LookupError):
    """There is no such question any more: what it was about has changed, is decided, or was forgotten."""


class QuestionMismatch(QuestionError):
    """The answer is about a statement that the question does not ask about."""


class AccessDenied(GraphmemError):
    """The role in which a memory was opened does not allow this; says which role, which act, and what to do."""


class MissingDependency(GraphmemError, ImportError):
    """An optional package is not installed; the message gives the command that installs it."""

    def __init__(self, package: str, install: str, purpose: str) -> None:
        super().__init__(f"{package} is not installed but {purpose} needs it: run `{install}`")
        self.package = package
        self.install = install


class ExtractionFailed(GraphmemError):
    """A language model could not be asked, or gave no usable answer; what was to be extracted is recorded and waits.

    `reason` is a code; `stops` says that the next question would fare no better.
    """

    exit_code = 3

    def __init__(self, reason: str, message: str, *, stops: bool = True) -> None:
        super().__init__(message)
        self.reason, self.stops = reason, stops


class MemoryPaused(GraphmemError):
    """The memory is paused by its owner and takes nothing in."""

    exit_code = 3


class StoreError(GraphmemError):
    """The store on disk cannot be used."""

    exit_code = 3


class StoreLocked(StoreError, TimeoutError):
    """Another process is using this space; the wait is over."""


class StoreFull(StoreError):
    """There is no room to write: the disk is full, or a file may not grow further."""


class LedgerDamaged(StoreError):
    """The hash chain of the ledger does not hold; names the first bad entry."""


class ConsolidationRefused(StoreError):
    """A consolidation would have lost or changed something; nothing was written."""


class KeyUnavailable(StoreError):
    """A sealed memory cannot be opened: its key was not given, is another, was destroyed, or its keys file is not there."""


class SealBroken(StoreError):
    """Something in a sealed memory does not open under its own key: it was altered, or its key is missing."""


class ReadOnlyStore(StoreError):
    """The files of the store may be read but not written."""


class StoreNewer(StoreError):
    """The store was written by a newer release."""


class GraphDamaged(StoreError):
    """The graph cannot be read; it is rebuilt from the ledger (callers see this only if that fails too)."""


class ModelError(StoreError):
    """A model file is missing or is not the one that was pinned (sha256)."""


class EmbedderFailed(ModelError):
    """An embedder raised, took too long, or gave what are no vectors of this memory."""


class QueryError(StoreError):
    """A query was called with parameters other than those it names, or the engine refused it."""
