"""Journal to journey to store: a process of its own, behind the seam.

ports     what it drives: a journal, a journey
exchange  one exchange, observed and committed exactly once
attempts  an exchange that kills the process is not tried for ever
states    the sessions' states, kept between their exchanges
capture   what of facts and contents may be stored
loop      polls, backs off, releases the journal, stops
tally     what it has done, as a small file for the supervisor
"""

from proxy.observer.attempts import Attempts
from proxy.observer.capture import Capture, Keeper
from proxy.observer.exchange import ExchangeObserver
from proxy.observer.loop import Observer, ObserverLimits
from proxy.observer.ports import Journal, Journey, Observed
from proxy.observer.states import StateCache
from proxy.observer.tally import Tally, observer_snapshot

__all__ = [
    "Attempts",
    "Capture",
    "ExchangeObserver",
    "Journal",
    "Journey",
    "Keeper",
    "Observed",
    "Observer",
    "ObserverLimits",
    "StateCache",
    "Tally",
    "observer_snapshot",
]
