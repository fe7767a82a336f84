"""The gate of a memory that somebody else than its owner has open: every act passes it, coming and going.

On the way in the role, its purpose and its grant are checked; on the way out each row is looked at once more, and the act is
recorded: who, as what, what for, which act, how many ids; never what was asked or seen.

Invariant: what cannot be recorded is not done; what is denied has read nothing, so that it tells nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from graphmem.access import DENIED, log
from graphmem.errors import AccessDenied, InputError, LedgerDamaged, ReadOnlyStore, StatementNotFound, StoreError
from graphmem.permits import Rules, admits, ask, is_id, pending, rules, waits
from graphmem.register_watch import fault
from graphmem.roles import ACTS, FREE, TABLE, Principal, allowed, asks, beyond, denied
from graphmem.showing import GONE, ForAgent, Shown, Veiled, blank, masked_whole, names_in
from graphmem.sight import Seen, Sight, Visible
from graphmem.space import Space

if TYPE_CHECKING:
    from graphmem.graph.base import Graph
    from graphmem.recall.matrix import Kept
    from graphmem.records import Delta

# Said for every reason alike: none of them tells whether there is such a memory, or what its owner has ruled.
CLOSED = "the role {} may not open this memory for this purpose: ask its owner to open it, to grant it or to allow the purpose"


class Gate:
    """The gate of one open memory.

    Args:
        space: the space that was opened.
        who: whoever opened it; not the owner.
        clock: gives the current time, aware.
        entropy: gives n random bytes.
    """

    def __init__(self, space: Space, who: Principal, *, clock: Callable[[], datetime], entropy: Callable[[int], bytes]) -> None:
        self._space, self.who, self._clock, self._entropy = space, who, clock, entropy
        self.sight = Sight()
        self._seen: Seen | None = None
        self._rules: tuple[int, Rules] | None = None

    # ------------------------------------------------------------------ in and out

    def passed(self, act: str, method: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Do an act for whoever has the memory open, and give what may be shown of what it gives.

        Raises:
            AccessDenied: the role, its purpose or its grant does not allow it, or it cannot be recorded.
        """
        if act in FREE:
            return method(*args, **kwargs)
        self.admit(act, args[1:], kwargs)
        if TABLE[self.who.role]["read"] == "states":
            self._no_words(act, method, args, kwargs)
        try:
            shown = self.shown(act, method(*args, **kwargs))
        except StoreError:
            if (unfit := fault(self._space)) is None or not unfit.holds:
                raise
            # That anything was ever forgotten, and where that is kept, is its owner's to know.
            raise StoreError("the memory cannot take in anything until its owner has looked at it") from None
        if ACTS[act].logged:
            self._log(act, len(names_in(shown)), _subject(args[1:], kwargs) if act == "trace" else None)
        return shown

    def admit(self, act: str, args: Sequence[Any] = (), kwargs: Mapping[str, Any] | None = None) -> None:
        """AccessDenied unless the act may be done now and can be recorded."""
        role = self.who.role
        with self._space.reading():
            if not self.admitted():
                raise AccessDenied(CLOSED.format(role))
            try:
                self._space.check_writable()
            except (ReadOnlyStore, LedgerDamaged) as error:
                raise AccessDenied(
                    f"the role {role} may not {act} here: nothing can be recorded in this memory, so that the look would leave "
                    "no trace; ask its owner to mend it"
                ) from error
        argument, told = None, self.who.home is None and asks(role, act)
        if allowed(role, act) and (self.who.home is None or act not in ACTS or ACTS[act].across):
            argument = beyond(act, kwargs or {})
            if argument is None:
                return
            told = self.who.home is None
        if told:
            subject = _subject(args, kwargs or {})
            known = subject if self._knows(subject) else None
            again = waits(pending(self._space.ledger), self.who, act, known)
            told = self.ask(act, known, "denied")
            if again or not told:
                # It waits once, or there is no room; that it was tried is an entry like every other look.
                self._log(act, 0, known, detail=DENIED)
        else:
            self._log(act, 0, None, detail=DENIED)
        raise denied(role, act, told=told, argument=argument)

    def ask(self, act: str, subject: str | None, reason: str) -> bool:
        """Record what is asked of the owner; whether the owner will see it.

        Raises:
            InputError: there is no such act or reason, or nothing by this id that the role may see.
        """
        with self._space.writing():
            if subject is not None and not self._knows(subject):
                raise StatementNotFound("a request names a statement by its id: see `graphmem statements` for the ids")
            return ask(self._space, self.who, act, subject, reason)

    def _knows(self, subject: object) -> bool:
        """Whether something that the role may see has this id: another one could be words, or somebody else's."""
        with self._space.reading():
            return is_id(subject) and bool(self.graph(self._space.graph).nodes([str(subject)]))

    def admitted(self) -> bool:
        """Whether its owner lets this role act at all, for this purpose and by this grant, now."""
        head = self._space.ledger.head()[0]
        if self._rules is None or self._rules[0] != head:
            self._rules = head, rules(self._space.ledger)
        return admits(self._rules[1], self.who, self._clock())

    def _log(self, act: str, ids: int, subject: str | None, *, detail: str = "") -> None:
        who = self.who
        subjects = () if subject is None else (subject,)
        try:
            with self._space.writing():
                log(
                    self._space, act, actor=who.actor, role=who.role, purpose=who.purpose, mark=self._entropy(8).hex(),
                    subjects=subjects, detail=detail or f"{ids} ids",
                )  # fmt: skip
        except StoreError as error:
            raise AccessDenied(
                f"the role {who.role} may not {act} now, because it cannot be recorded: repeat it ({error})"
            ) from error

    def _no_words(self, act: str, method: Callable[..., Any], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        """A question that holds words would be answered by what is found for them."""
        bound = inspect.signature(method).bind(*args, **kwargs)
        if bound.arguments.get("subject") is not None and act != "request":
            raise AccessDenied(f"the role {self.who.role} may not {act} by words: leave subject away")

    # ------------------------------------------------------------------ what is shown

    def shown(self, act: str, value: Any) -> Any:
        """What may be shown of an answer: the second check, in this one place for all acts."""
        quotes = self.who.quotes
        if quotes == "yes":
            return value
        if quotes == "short":
            with self._space.reading():
                check: Callable[[Any], Any] = ForAgent(self.sight.of(self._space.graph), act)
        else:
            check = Veiled(blank, states=True) if quotes == "no" else Veiled(masked_whole, states=False)
        found = Shown(check)(value)
        if found is GONE:
            raise InputError("there is nothing to show in this role: see `graphmem statements` for what there is")
        return found

    def graph(self, graph: Graph) -> Graph:
        """The graph as it may be searched: the first check."""
        if TABLE[self.who.role]["read"] != "stated":
            return graph
        if self._seen is None or self._seen.whole is not graph:
            self._seen = Seen(graph, self.sight.of)
        return self._seen

    def vectors(self, kept: Iterator[Kept]) -> Iterator[Kept]:
        """Of the vectors that the ledger keeps, those that may be searched."""
        if TABLE[self.who.role]["read"] != "stated":
            return kept
        seen: Visible = self.sight.of(self._space.graph)
        return (one for one in kept if seen.vector(one.kind, one.owner))

    def watching(self, index: Callable[..., None]) -> Callable[..., None]:
        """What is told of deltas in place of an index: the index takes in those that change nothing seen.

        After any other one it stands behind the graph, and reads anew what may be seen of it.
        """

        def told(delta: Delta, *, before: int) -> None:
            if self.sight.pass_by(delta, before=before):
                index(delta, before=before)

        return told

    def bundle(self, bundle: Any) -> Any:
        """What an export is made from, its words masked unless they may be read."""
        if self.who.quotes == "yes":
            return bundle
        from graphmem.veiling import veiled

        return veiled(bundle, Shown(Veiled(masked_whole, states=False)), masked_whole)

    def noted(self, found: Any) -> Any:
        """The answer of which use is noted, if it names nothing that is hidden."""
        if found is not None and len(self.shown("recall", found).hits) < len(found.hits):
            raise InputError(f"the answer {found.id} is not at hand: give one as recall or on_turn gave it")
        return found


def _subject(args: Sequence[Any], kwargs: Mapping[str, Any]) -> str | None:
    """The id that an act was called with, if it has the form of one: anything else could hold words."""
    for value in (kwargs.get("id"), *args[:1]):
        if is_id(value):
            return str(value)
    return None
