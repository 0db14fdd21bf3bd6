"""A peer's name and a chain come in, its contestants go out; a peer is one file and one line."""

from collections.abc import Callable, Sequence
from importlib import import_module

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.solver import Solver, UnsupportedChainError
from generative_ik_ros.errors import MissingDependencyError, UnknownNameError

_HERE = "generative_ik_benchmarks.peers"
_PEERS = {
    "trac-ik": f"{_HERE}.trac_ik:contestants",
    "ssik": f"{_HERE}.ssik:contestants",
    "analytic": f"{_HERE}.analytic:contestants",
    "slsqp": f"{_HERE}.slsqp:contestants",
    "riemannian": f"{_HERE}.riemannian:contestants",
    "dls-uniform": f"{_HERE}.damped_least_squares:from_uniform",
    "dls-quasi-random": f"{_HERE}.damped_least_squares:from_quasi_random",
    "dls-retrieval": f"{_HERE}.damped_least_squares:from_retrieval",
}

Make = Callable[[ChainCase, int, int], list[Solver]]
"""Called with the chain, the number of solutions wanted a pose and a random seed."""


def peer_names() -> tuple[str, ...]:
    """Return the names that `peer` knows."""
    return tuple(_PEERS)


def check_peers(names: Sequence[str]) -> None:
    """Refuse names that are no peers.

    Raises:
        UnknownNameError: One is not.
    """
    for name in names:
        if name not in _PEERS:
            raise UnknownNameError("peer", name, _PEERS)


def peer(name: str, case: ChainCase, wanted: int = 1, seed: int = 0) -> list[Solver]:
    """Return a peer's contestants for a chain.

    Args:
        name: One of `peer_names()`.
        case: The chain.
        wanted: Distinct solutions wanted a pose; peers that have all at once, or one, ignore it.
        seed: Root of the peer's own random choices.

    Raises:
        UnknownNameError: There is no such peer.
        MissingDependencyError: It is not installed.
        UnsupportedChainError: It cannot take the chain.
    """
    check_peers([name])
    module, _, attribute = _PEERS[name].partition(":")
    make: Make = getattr(import_module(module), attribute)
    return make(case, wanted, seed)


def willing_peers(
    names: Sequence[str], case: ChainCase, wanted: int = 1, seed: int = 0
) -> tuple[list[Solver], dict[str, str]]:
    """Return the contestants of those peers that can take part, and why the others cannot.

    Raises:
        UnknownNameError: There is no such peer.
    """
    contestants: list[Solver] = []
    absent: dict[str, str] = {}
    for name in names:
        try:
            contestants += peer(name, case, wanted, seed)
        except (MissingDependencyError, UnsupportedChainError) as reason:
            absent[name] = str(reason)
    return contestants, absent
