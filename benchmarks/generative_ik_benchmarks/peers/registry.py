"""The registry of peers, the solvers of others: each is one file and one line here."""

from collections.abc import Callable, Sequence
from importlib import import_module

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.solver import Solver, UnsupportedChainError
from generative_ik_ros.errors import MissingDependencyError, check_names

_PEERS = {
    "trac-ik": "trac_ik:solvers",
    "ssik": "ssik:solvers",
    "eaik": "eaik:solvers",
    "analytic": "analytic:solvers",
    "slsqp": "slsqp:solvers",
    "riemannian": "riemannian:solvers",
    "dls-uniform": "damped_least_squares:from_uniform",
    "dls-quasi-random": "damped_least_squares:from_quasi_random",
    "dls-retrieval": "damped_least_squares:from_retrieval",
}

Make = Callable[[ChainCase, int, int], list[Solver]]
"""Takes the chain, the number of solutions wanted a pose and a random seed."""


def peer_names() -> tuple[str, ...]:
    """Return the names that `peer` knows."""
    return tuple(_PEERS)


def check_peers(names: Sequence[str]) -> None:
    """Refuse names that are no peers.

    Raises:
        UnknownNameError: One is not.
    """
    check_names("peer", names, _PEERS)


def peer(name: str, case: ChainCase, wanted: int = 1, seed: int = 0) -> list[Solver]:
    """Return a peer's solvers of a chain.

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
    make: Make = getattr(import_module(f"{__package__}.{module}"), attribute)
    return make(case, wanted, seed)


def available_peers(
    names: Sequence[str], case: ChainCase, wanted: int = 1, seed: int = 0
) -> tuple[list[Solver], dict[str, str]]:
    """Return the solvers of those peers that can take part, and why the others cannot.

    Raises:
        UnknownNameError: There is no such peer.
    """
    solvers: list[Solver] = []
    absent: dict[str, str] = {}
    for name in names:
        try:
            solvers += peer(name, case, wanted, seed)
        except (MissingDependencyError, UnsupportedChainError) as reason:
            absent[name] = str(reason)
    return solvers, absent
