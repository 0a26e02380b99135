"""An observer's process: settings to journal, journey and store, then the loop."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from config.settings import Settings
from proxy.accounting.price_file import load_prices
from proxy.accounting.prices import Pricer
from proxy.accounting.tokens import TokenCounter
from proxy.journal.reader import JournalReader
from proxy.journey import Journey, Ports
from proxy.ledger.ledger import Instruments
from proxy.ledger.tools import ToolRules
from proxy.observer import Attempts, Capture, ExchangeObserver, Observer, Tally
from proxy.observer.capture import Keeper
from proxy.observer.loop import now_us
from proxy.sessions.normalise import VERSION as NORMALISER
from proxy.store import Database, Retention, Writer, open_database, prune
from proxy.wire.body_secrets import BodySecrets
from proxy.wire.websocket import open_socket
from proxy.wiring.folder import DataFolder
from proxy.wiring.inputs import rules_in_force
from proxy.wiring.settings import data_folder
from proxy.wiring.spec import GIB
from proxy.wiring.version import product_version

DAY_US = 86_400_000_000


def _since_boot_us() -> int:
    return time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000


class SteadyClock:
    """The time of day, never ahead of what has passed since the start: a clock put forward ages nothing."""

    def __init__(self, *, wall: Callable[[], int] = now_us, passed: Callable[[], int] = _since_boot_us) -> None:
        """Takes the time of day and a clock that nobody sets, both in microseconds."""
        self._wall, self._passed = wall, passed
        self._base_us = wall() - passed()

    def now_us(self) -> int:
        """UTC microseconds."""
        return min(self._wall(), self._base_us + self._passed())


@contextmanager
def standing_observer(settings: Settings, *, source: str = "live") -> Iterator[Observers]:
    """Everything an observer needs, closed at the end.

    Raises:
        CannotWriteError: another observer reads this journal, or a folder cannot be written.
        NewerVersionError: the store is of a newer version.
        InputError: a rules or price file is not what it should be.
    """
    folder = data_folder(settings)
    folder.prepare()
    with open_database(settings.store.database) as database:
        writer = Writer(database)
        journal = JournalReader(folder.journal, marks=writer.marks(), exclusive=True, sockets=open_socket)
        try:
            yield Observers(settings, folder, database, writer, journal, source)
        finally:
            journal.close()


class Observers:
    """Makes observers over one journal and store; the process needs a second one to read what is left at its end."""

    def __init__(
        self,
        settings: Settings,
        folder: DataFolder,
        database: Database,
        writer: Writer,
        journal: JournalReader,
        source: str,
    ) -> None:
        self._settings = settings
        self._folder = folder
        self._database = database
        self._journal = journal
        self._tally = Tally(started_us=now_us())
        self._clock = SteadyClock()
        secrets = BodySecrets(settings.capture.redact)
        keeper = Keeper(Capture(settings.capture.contents), secrets.redact_text)
        journey = _journey(settings, folder, writer, secrets, source)
        attempts = Attempts(folder.attempts)
        self._station = ExchangeObserver(journey, writer, keeper=keeper, tally=self._tally, attempts=attempts)

    def make(self) -> Observer:
        """An observer that goes on where the former one stopped."""
        return Observer(
            self._journal,
            self._station,
            self._tally,
            snapshot=self._folder.observer,
            upkeep=lambda: prune(self._database, retention(self._settings, at_us=self._clock.now_us())),
        )


def _journey(settings: Settings, folder: DataFolder, writer: Writer, secrets: BodySecrets, source: str) -> Journey:
    """The journey by these settings; the store is told which versions its figures depend on (V27)."""
    pricer = Pricer(load_prices(settings.prices.override)) if settings.prices.override else Pricer()
    rules = ToolRules(rules_in_force(settings))
    writer.set_meta(
        {
            "product_version": product_version(),
            "tools_digest": rules.digest,
            "normaliser": NORMALISER,
            "price_table": pricer.table,
        }
    )
    keeps_all = Capture(settings.capture.contents) is Capture.FULL
    count = TokenCounter(folder.vocabulary).count
    return Journey(
        Ports(
            instruments=Instruments(tools=rules, count=count, redact=secrets.redact_text),
            price=pricer.price,
            source=source,
            find=writer.sessions_of,
            labels=settings.labels,
            redact_body=secrets.redact_body if keeps_all else None,
        )
    )


def retention(settings: Settings, *, at_us: int) -> Retention:
    """What may stay in the store, as of then."""
    capture = settings.capture
    return Retention(
        contents_since_us=at_us - capture.keep_contents_days * DAY_US,
        figures_since_us=at_us - capture.keep_figures_days * DAY_US,
        max_bytes=int(capture.max_gib * GIB),
        free_floor_bytes=int(capture.free_disk_floor_gib * GIB),
    )


def serve_observer(settings: Settings, *, source: str = "live") -> None:
    """Observe until SIGTERM or SIGINT; after SIGUSR1 until nothing is left to read."""
    with standing_observer(settings, source=source) as observers:
        observer, is_finishing = observers.make(), False

        def finish(*_: object) -> None:
            nonlocal is_finishing
            is_finishing = True
            observer.stop()

        signal.signal(signal.SIGUSR1, finish)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGUSR1})
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: observer.stop())
        observer.run()
        if is_finishing:
            observer = observers.make()
            observer.run(until_idle=True)


def observe_until_idle(settings: Settings, *, source: str = "live") -> None:
    """Read everything that the journal holds."""
    with standing_observer(settings, source=source) as observers:
        observers.make().run(until_idle=True)
