"""Imports of libraries that single parts of the benchmarks need."""

from importlib import import_module
from typing import Any

from generative_ik_ros.errors import importing


def imported(module: str, package: str, what: str) -> Any:  # noqa: ANN401 (a module)
    """Import a module.

    Args:
        module: Its name.
        package: The name of its package on the index.
        what: What needs it, for the error.

    Raises:
        MissingDependencyError: It is not installed.
    """
    with importing(
        f"{what} needs {package}", f"./benchmarks in a checkout, or pip install {package}"
    ):
        return import_module(module)
