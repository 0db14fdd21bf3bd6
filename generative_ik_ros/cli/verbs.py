"""The registry of the shell's verbs: those of this package, and those that other packages add.

A verb is a typer command or application in a module of its own, imported when the command line
needs it. Another package adds one by an entry point in the group `generative_ik.verbs`.
"""

from collections.abc import Callable
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points

import typer

from generative_ik_ros.errors import MissingDependencyError

GROUP = "generative_ik.verbs"

_OWN = {
    "solve": "generative_ik_ros.cli.solve:solve",
    "view": "generative_ik_ros.cli.view:view",
    "robots": "generative_ik_ros.cli.robots:robots",
    "train": "generative_ik_ros.learned.cli.train:app",
}
_BENCHMARKS = {
    "evaluate": "Measure the solver beside others.",
    "reproduce": "Measure the tables of the papers.",
}
"""What the package in benchmarks/ brings, so that it can be named where that is not installed."""


def add_verbs(app: typer.Typer) -> None:
    """Add every verb at hand to an application."""
    for name, place in _OWN.items():
        module, _, attribute = place.partition(":")
        _add(app, name, getattr(import_module(module), attribute))
    others: dict[str, EntryPoint] = {one.name: one for one in entry_points(group=GROUP)}
    for name, entry in others.items():
        _add(app, name, entry.load())
    for name, purpose in _BENCHMARKS.items():
        if name not in others:
            _add(app, name, _absent(name, purpose))


def _add(app: typer.Typer, name: str, verb: Callable[..., object] | typer.Typer) -> None:
    if isinstance(verb, typer.Typer):
        app.add_typer(verb, name=name)
    else:
        anything = {"allow_extra_args": True, "ignore_unknown_options": True}
        app.command(name, context_settings=anything if name in _BENCHMARKS else None)(verb)


def _absent(name: str, purpose: str) -> Callable[[], None]:
    def verb() -> None:
        raise MissingDependencyError(
            f"'{name}' comes with the benchmarks, which are not installed: "
            "pip install ./benchmarks in a checkout of generative_ik_ros"
        )

    verb.__doc__ = f"{purpose} (in the package generative_ik_benchmarks, not installed)"
    return verb
