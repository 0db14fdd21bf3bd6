"""The registry of trackers of others: each is one file and one line here."""

from collections.abc import Callable, Sequence

from generative_ik_benchmarks.peers.tracking.base import Case, Motion, Tracker
from generative_ik_benchmarks.peers.tracking.mink import MinkTracker
from generative_ik_benchmarks.peers.tracking.pink import PinkTracker
from generative_ik_benchmarks.peers.tracking.placo import PlacoTracker
from generative_ik_benchmarks.peers.tracking.ssik import SsikTracker
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_ros.errors import MissingDependencyError

TRACKERS: dict[str, Callable[[Case, Motion], Tracker]] = {
    "ssik": SsikTracker,
    "pink": PinkTracker,
    "mink": MinkTracker,
    "placo": PlacoTracker,
}


def available_trackers(
    names: Sequence[str], case: Case, motion: Motion
) -> tuple[list[Tracker], dict[str, str]]:
    """Return the trackers that can take part, and why the others cannot.

    Args:
        names: Of `TRACKERS`.
        case: The chain or tree.
        motion: Start and limits.
    """
    found: list[Tracker] = []
    absent: dict[str, str] = {}
    for name in names:
        try:
            found.append(TRACKERS[name](case, motion))
        except (MissingDependencyError, UnsupportedChainError) as reason:
            absent[name] = str(reason)
    return found, absent
