"""One exchange: observed from its session's state and committed, exactly once, whatever happens in between."""

from __future__ import annotations

import logging
import traceback

from proxy.journal.layout import Mark
from proxy.journey.rows import exchange_fact
from proxy.model.exchange import Exchange
from proxy.model.facts import ExchangeFact, ExchangeKind
from proxy.observer.attempts import Attempts
from proxy.observer.capture import Keeper
from proxy.observer.ports import Journey, Observed
from proxy.observer.states import StateCache
from proxy.observer.tally import Tally
from proxy.store.errors import StateConflictError, StoreUnavailableError
from proxy.store.writer import Commit, StateChange, Writer

LOG = logging.getLogger(__name__)
CONFLICTS_IN_A_ROW = 10


class ExchangeObserver[S]:
    """Takes exchanges one at a time. A journey that raises costs that exchange its facts and nothing else."""

    def __init__(
        self,
        journey: Journey[S],
        writer: Writer,
        *,
        keeper: Keeper,
        tally: Tally,
        attempts: Attempts | None = None,
    ) -> None:
        """Takes what it drives; without `attempts` an exchange that kills the process is tried for ever."""
        self._journey = journey
        self._writer = writer
        self._states = StateCache(journey, writer)
        self._keeper = keeper
        self._tally = tally
        self._attempts = attempts

    def take(self, exchange: Exchange, mark: Mark) -> None:
        """Commit what the exchange says, unless it is committed already.

        Raises:
            StoreUnavailableError: nothing was committed; take it again later.
        """
        if self._writer.knows(exchange.id):
            self._tally.known += 1
            return
        if self._attempts is None:
            self._try(exchange, mark)
        elif self._attempts.begin(exchange.id):
            try:
                self._try(exchange, mark)
            finally:
                self._attempts.end()
        else:
            self._give_up(exchange, mark, "internal: the process died of it")

    def _try(self, exchange: Exchange, mark: Mark) -> None:
        try:
            self._observe(exchange, mark)
        except StoreUnavailableError:
            raise
        except Exception as error:  # noqa: BLE001 - a poisonous exchange must not stop the others
            place = traceback.extract_tb(error.__traceback__)[-1]  # never the message: it may quote the traffic
            told = {"file": place.filename, "line": place.lineno}
            LOG.error("raised at %(file)s:%(line)s", told)  # noqa: TRY400
            self._give_up(exchange, mark, f"internal: {type(error).__name__}")

    def _observe(self, exchange: Exchange, mark: Mark) -> None:
        session = self._journey.session_of(exchange)
        if session is None:
            self._commit(self._change(exchange, self._journey.observe(exchange, None), state=None, mark=mark), exchange)
            return
        for _ in range(CONFLICTS_IN_A_ROW):
            held = self._states.take(session)
            observed = self._journey.observe(exchange, held.state)
            state = StateChange(session, held.version, observed.parts)
            try:
                is_new = self._commit(self._change(exchange, observed, state=state, mark=mark), exchange)
            except StateConflictError:
                self._tally.conflicts += 1
                continue
            if is_new:
                self._states.give_back(held, state)
            return
        raise StoreUnavailableError(f"session {session} is changed by other observers all the time")

    def _change(self, exchange: Exchange, observed: Observed, *, state: StateChange | None, mark: Mark) -> Commit:
        own = _own_fact(exchange, observed)
        return Commit(
            exchange=self._keeper.fact(own),
            facts=[self._keeper.fact(fact) for fact in observed.facts if fact is not own],
            state=state,
            contents=self._keeper.contents(observed),
            mark=mark,
        )

    def _commit(self, change: Commit, exchange: Exchange) -> bool:
        is_new = self._writer.commit(change)
        if is_new:
            self._tally.committed(change.exchange, exchange)
        return is_new

    def _give_up(self, exchange: Exchange, mark: Mark, reason: str) -> None:
        self._tally.internal_errors += 1
        LOG.error("exchange %(exchange)s left unread: %(reason)s", {"exchange": exchange.id, "reason": reason})
        fact = exchange_fact(exchange, ExchangeKind.UNPARSED, reason)
        self._commit(Commit(exchange=self._keeper.fact(fact), mark=mark), exchange)


def _own_fact(exchange: Exchange, observed: Observed) -> ExchangeFact:
    for fact in observed.facts:
        if isinstance(fact, ExchangeFact) and fact.exchange == exchange.id:
            return fact
    raise LookupError("the journey said nothing of the exchange itself")
