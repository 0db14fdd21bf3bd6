"""What may make one path better than another: what `IKSolver.solve_path` takes as `objective`."""

from generative_ik_ros.errors import InvalidArgumentError, check_names

OBJECTIVES = "length", "largest_step", "clearance", "limit_margin"
"""In the order of the core's (core/src/paths/task.hpp)."""


def check_objective(name: str | None, *, collisions: bool) -> None:
    """Check an argument of `IKSolver.solve_path`.

    Raises:
        UnknownNameError: There is no such objective.
        InvalidArgumentError: It needs a collision model.
    """
    if name is not None:
        check_names("objective", [name], OBJECTIVES)
    if name == "clearance" and not collisions:
        raise InvalidArgumentError("objective='clearance' needs IKSolver(chain, collision=...)")
