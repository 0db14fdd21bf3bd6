"""What the processes of a pool do; in a module of its own, for they import it by its name."""

from generative_ik_ros import IKSolver


def solve(arguments):
    """Make a solver from the chain that was sent, and solve."""
    chain, target = arguments
    return IKSolver(chain).solve(target, 10).positions
