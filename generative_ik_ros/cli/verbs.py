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
    "path": "generative_ik_ros.cli.path:path",
    "reach": "generative_ik_ros.cli.reach:reach",
    "place": "generative_ik_ros.cli.place:place",
    "view": "generative_ik_ros.cli.view:view",
    "samplers": "generative_ik_ros.cli.samplers:samplers",
    "robots": "generative_ik_ros.cli.robots:robots",
    "train": "generative_ik_ros.learned.cli.train:app",
}
_BENCHMARKS = {
    "evaluate": "Measure the solver beside others.",
    "reproduce": "Measure the tables of the papers.",
}
"""What the package in benchmarks/ brings, so that it can be named where that is not installed."""


def add_verbs(app: typer.Typer) -> None:
    """Add every verb at hand to an application; one that cannot be imported says why."""
    for name, place in _OWN.items():
        module, _, attribute = place.partition(":")
        _add(app, name, getattr(import_module(module), attribute))
    others: dict[str, EntryPoint] = {one.name: one for one in entry_points(group=GROUP)}
    for name, entry in others.items():
        try:
            _add(app, name, entry.load())
        except Exception as error:  # a broken package must not end the verbs of all others
            reason = f"{entry.value} cannot be imported: {type(error).__name__}: {error}"
            _add_absent(app, name, "Not available", reason)
    for name, purpose in _BENCHMARKS.items():
        if name not in others:
            reason = (
                "it comes with the benchmarks (generative_ik_benchmarks), which are not "
                "installed: pip install ./benchmarks in a checkout of generative_ik_ros"
            )
            _add_absent(app, name, purpose, reason)


def _add(app: typer.Typer, name: str, verb: Callable[..., object] | typer.Typer) -> None:
    if isinstance(verb, typer.Typer):
        app.add_typer(verb, name=name)
    else:
        app.command(name)(verb)


def _add_absent(app: typer.Typer, name: str, purpose: str, reason: str) -> None:
    """Add a verb that takes any options and raises an error of one line."""

    def verb() -> None:
        raise MissingDependencyError(f"no '{name}': {reason}")

    anything = {"allow_extra_args": True, "ignore_unknown_options": True}
    line = f"{purpose} ({' '.join(reason.split())})"
    app.command(name, context_settings=anything, help=line)(verb)
