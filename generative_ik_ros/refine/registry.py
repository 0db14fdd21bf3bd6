"""The registry of local solvers: a new one is a file of its own and one line here."""

from importlib import import_module

from generative_ik_ros.errors import check_names
from generative_ik_ros.refine.base import Refiner

_REFINERS = {
    "levenberg_marquardt": "generative_ik_ros.refine.levenberg_marquardt:LevenbergMarquardt",
    "slsqp": "generative_ik_ros.refine.slsqp:SLSQP",
}


def refiner_names() -> tuple[str, ...]:
    """Return the names of all local solvers."""
    return tuple(_REFINERS)


def refiner_class(name: str) -> type[Refiner]:
    """Import and return the local solver of that name.

    Raises:
        UnknownNameError: There is none.
    """
    check_names("refiner", [name], _REFINERS)
    module, _, attribute = _REFINERS[name].partition(":")
    return getattr(import_module(module), attribute)
