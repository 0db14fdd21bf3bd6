"""A chain comes in, our own damped least squares from seeds of one plain kind goes out."""

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.solver import PackageSolver, Solver


def _from(sampler: str, case: ChainCase, wanted: int, seed: int) -> list[Solver]:
    solver = PackageSolver(case.chain, wanted, None, sampler, seed)
    solver.name = f"DLS, {sampler}"
    return [solver]


def from_uniform(case: ChainCase, wanted: int, seed: int) -> list[Solver]:
    """Return the whole pipeline with uniform random seeds, without a deadline."""
    return _from("uniform", case, wanted, seed)


def from_quasi_random(case: ChainCase, wanted: int, seed: int) -> list[Solver]:
    """Return the whole pipeline with quasi-random seeds, without a deadline."""
    return _from("quasi_random", case, wanted, seed)


def from_retrieval(case: ChainCase, wanted: int, seed: int) -> list[Solver]:
    """Return the whole pipeline with the nearest stored configurations, without a deadline."""
    return _from("retrieval", case, wanted, seed)
