"""Options of protocols: fields of a dataclass, from which the options of a command are made."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields
from functools import partial
from typing import Any, TypeVar

from generative_ik_benchmarks.peers.registry import check_peers
from generative_ik_benchmarks.protocols.references import QUICK
from generative_ik_benchmarks.seeding import check_samplers
from generative_ik_ros.errors import check_names


def option(
    default: object,
    help: str,
    *,
    quick: object = None,
    check: Callable[[Any], object] | None = None,
    flag: str = "",
    **limits: float | str,
) -> Any:  # noqa: ANN401 (a dataclass field)
    """Return a field of a protocol's options, from which an option of its command is made.

    Args:
        default: Its value where nothing is said.
        help: What it means, for `--help`.
        quick: Its value where nothing but `--quick` is said; None: the default.
        check: Called with the value before anything is measured; raises where it is misuse.
        flag: How the command calls it, where that is not the field's name.
        limits: `min`, `max` and `metavar`, as typer has them.
    """
    facts = {"help": help, "quick": quick, "check": check, "flag": flag, "limits": limits}
    return field(default=default, metadata=facts)


def folder_option(help: str, check: Callable[[Any], object] | None = None) -> Any:  # noqa: ANN401
    """Return the option of a folder; None where none is given."""
    return option(None, help, check=check, metavar="DIR")


def sampler_option(default: str = "auto") -> Any:  # noqa: ANN401 (a dataclass field)
    """Return the option of the sampler of our seeds."""
    return option(default, "What proposes our seeds.", check=_check_sampler)


def _check_sampler(name: str) -> None:
    if name != "auto":
        check_samplers([name])


def samplers_option(*default: str) -> Any:  # noqa: ANN401 (a dataclass field)
    """Return the option of the samplers that are measured; all where there is no default."""
    help = "Only this sampler, may be given again."
    return option(default, help, check=check_samplers, flag="--sampler")


def names_option(kind: str, names: Collection[str], this: str = "this") -> Any:  # noqa: ANN401
    """Return the option of names that are measured; all of them where none is given."""
    help = f"Only {this}, may be given again: {', '.join(names)}."
    return option((), help, check=partial(check_names, kind, choices=names))


def peers_option(*default: str) -> Any:  # noqa: ANN401 (a dataclass field)
    """Return the option of the solvers beside ours; all where there is no default."""
    help = "Only this solver beside ours, may be given again."
    return option(default, help, check=check_peers, flag="--peer")


def size(default: object, quick: object) -> Any:  # noqa: ANN401 (a dataclass field)
    """Return a field that `--quick` changes and no option of the command does."""
    return field(default=default, metadata={"quick": quick})


def reference_setting() -> Any:  # noqa: ANN401 (a dataclass field)
    """Return how hard all solutions are looked for: as the chain needs, less with `--quick`."""
    return size(None, QUICK)


@dataclass(frozen=True, kw_only=True)
class RunOptions:
    """The options that every protocol has."""

    random_seed: int = option(1, "Of poses and solvers.", min=0)


Options = TypeVar("Options", bound=RunOptions)


def options_of(kind: type[Options], given: Mapping[str, Any], *, quick: bool) -> Options:
    """Return options: what is given, else what is quick, else the defaults.

    Args:
        kind: The protocol's dataclass of options.
        given: Values by the names of the fields; None and empty lists say nothing.
        quick: Whether to take the sizes for a first look.

    Raises:
        GenerativeIKError: A value is misuse.
    """
    values: dict[str, Any] = {}
    for each in fields(kind):
        value = given.get(each.name)
        if value is None or value == []:
            value = each.metadata.get("quick") if quick else None
        if value is not None:
            values[each.name] = tuple(value) if isinstance(value, list) else value
    options = kind(**values)
    for each in fields(kind):
        check = each.metadata.get("check")
        if check is not None:
            check(getattr(options, each.name))
    return options
