"""The registry of peers, the solvers of others: each is one file and one line here."""

from collections.abc import Callable, Sequence
from importlib import import_module

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.solver import PackageSolver, Solver, taking_part
from generative_ik_ros.errors import check_names

_PEERS = ("trac-ik", "ssik", "eaik", "analytic", "slsqp", "riemannian")
"""The module of each has the same name, with an underscore."""
_SEEDED = {
    "dls-uniform": "uniform",
    "dls-quasi-random": "quasi_random",
    "dls-retrieval": "retrieval",
}
"""This package's whole pipeline with seeds of one plain kind, without a deadline."""

Make = Callable[[ChainCase, int, int], list[Solver]]
"""Takes the chain, the number of solutions wanted a pose and a random seed."""


def peer_names() -> tuple[str, ...]:
    """Return the names that `peer` knows."""
    return (*_PEERS, *_SEEDED)


def check_peers(names: Sequence[str]) -> None:
    """Refuse names that are no peers.

    Raises:
        UnknownNameError: One is not.
    """
    check_names("peer", names, peer_names())


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
    if name in _SEEDED:
        solver = PackageSolver(case.chain, wanted, None, _SEEDED[name], seed)
        solver.name = f"DLS, {_SEEDED[name]}"
        return [solver]
    make: Make = import_module(f"{__package__}.{name.replace('-', '_')}").solvers
    return make(case, wanted, seed)


def available_peers(
    names: Sequence[str], case: ChainCase, wanted: int = 1, seed: int = 0
) -> tuple[list[Solver], dict[str, str]]:
    """Return the solvers of those peers that can take part, and why the others cannot.

    Raises:
        UnknownNameError: There is no such peer.
    """
    return taking_part(names, lambda name: peer(name, case, wanted, seed))
