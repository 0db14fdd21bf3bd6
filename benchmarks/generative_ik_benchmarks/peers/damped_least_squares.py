"""This package's whole pipeline with seeds of one plain kind, without a deadline."""

from functools import partial

from generative_ik_benchmarks.chains import ChainCase
from generative_ik_benchmarks.solver import PackageSolver, Solver


def _with_seeds(sampler: str, case: ChainCase, wanted: int, seed: int) -> list[Solver]:
    solver = PackageSolver(case.chain, wanted, None, sampler, seed)
    solver.name = f"DLS, {sampler}"
    return [solver]


from_uniform = partial(_with_seeds, "uniform")
from_quasi_random = partial(_with_seeds, "quasi_random")
from_retrieval = partial(_with_seeds, "retrieval")
