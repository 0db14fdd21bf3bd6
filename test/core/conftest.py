"""Solvers of the chain that a test module is about."""

import pytest

from generative_ik_ros import IKSolver


@pytest.fixture(scope="module")
def solver(chain):
    return IKSolver(chain)


@pytest.fixture(scope="module")
def searching(chain):
    """The same without a closed form."""
    return IKSolver(chain, "quasi_random")
