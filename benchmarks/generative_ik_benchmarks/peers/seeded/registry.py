"""The registry of solvers of others with a seed state: each is one file and one line here."""

from collections.abc import Callable, Sequence
from importlib import import_module

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.peers.seeded.base import SeededSolver
from generative_ik_benchmarks.solver import UnsupportedChainError
from generative_ik_ros.errors import MissingDependencyError

_FOLDER = "generative_ik_benchmarks.peers.seeded"
SEEDED_PEERS = {
    "ssik": "ssik",
    "trac-ik": "trac_ik",
    "frankik": "frankik",
    "pink": "pink",
    "mink": "mink",
    "placo": "placo",
}
"""The module of each; its `solvers` takes the chain and the longest time of a call [s]."""

Make = Callable[[ChainCase, float], list[SeededSolver]]


def available_seeded(
    names: Sequence[str], case: ChainCase, seconds: float
) -> tuple[list[SeededSolver], dict[str, str]]:
    """Return the solvers that can take part, and why the others cannot.

    Args:
        names: Of `SEEDED_PEERS`.
        case: The chain.
        seconds: After which an iterative solver gives up [s].
    """
    found: list[SeededSolver] = []
    absent: dict[str, str] = {}
    for name in names:
        make: Make = import_module(f"{_FOLDER}.{SEEDED_PEERS[name]}").solvers
        try:
            found += make(case, seconds)
        except (MissingDependencyError, UnsupportedChainError) as reason:
            absent[name] = str(reason)
    return found, absent
