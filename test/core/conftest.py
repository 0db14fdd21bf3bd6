"""Solvers of the chain that a test module is about, of the Panda, and an arm of five joints."""

import pytest
from robots import SO101

from generative_ik_ros import IKSolver, KinematicChain


@pytest.fixture(scope="module")
def solver(chain):
    return IKSolver(chain)


@pytest.fixture(scope="module")
def searching(chain):
    """The same without a closed form."""
    return IKSolver(chain, "quasi_random")


@pytest.fixture(scope="module")
def panda_solver(panda):
    return IKSolver(panda)


@pytest.fixture(scope="module")
def so101():
    return KinematicChain.from_urdf(SO101)
