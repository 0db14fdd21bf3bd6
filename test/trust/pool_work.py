"""The function of a process pool, in a module that the processes can import."""

from generative_ik_ros import IKSolver


def solve(arguments):
    """Solve with a solver created from the received chain."""
    chain, target = arguments
    return IKSolver(chain).solve(target, 10).positions
