"""A protocol's dataclass of options as the parameters of a typer command."""

from collections.abc import Callable, Iterator
from dataclasses import Field, fields
from inspect import Parameter, Signature
from typing import Annotated, Any, Optional, get_args, get_origin, get_type_hints

import typer

from generative_ik_benchmarks.cli.common import Json, PlotDir, Quick, Robot, RobotsDir
from generative_ik_benchmarks.protocol import Protocol


def command_of(
    protocol: Protocol[Any, Any], run: Callable[[dict[str, Any]], None]
) -> Callable[..., None]:
    """Return a function with the options of a protocol as its parameters.

    Args:
        protocol: The protocol.
        run: Called with the values by the names of the parameters.
    """
    annotations = {name: annotation for name, annotation in _annotations(protocol)}

    def command(**given: Any) -> None:  # noqa: ANN401 (as typer parsed it)
        run(given)

    command.__annotations__ = annotations
    command.__signature__ = Signature(  # pyright: ignore[reportFunctionMemberAccess]
        [
            Parameter(
                name,
                Parameter.KEYWORD_ONLY,
                default=False if name == "quick" else None,
                annotation=annotation,
            )
            for name, annotation in annotations.items()
        ]
    )
    return command


def _annotations(protocol: Protocol[Any, Any]) -> Iterator[tuple[str, Any]]:
    yield "robots_dir", RobotsDir
    yield "robot", Robot
    hints = get_type_hints(protocol.options)
    # What all protocols have is inherited and comes first, but reads better last.
    own = sorted(fields(protocol.options), key=lambda each: each.name == "random_seed")
    for each in own:
        if "help" in each.metadata:
            yield each.name, Annotated[_typer_type(hints[each.name]), _typer_option(each)]
    if protocol.plot is not None:
        yield "plot_dir", PlotDir
    yield "quick", Quick
    yield "json_file", Json


def _typer_type(hint: Any) -> Any:  # noqa: ANN401 (types)
    """Return what may be left out, as every supported typer reads it (0.9 knows no `X | None`)."""
    if get_origin(hint) is tuple:
        return Optional[list[get_args(hint)[0]]]  # noqa: UP045
    return Optional[get_args(hint)[0] if get_args(hint) else hint]  # noqa: UP045


def _typer_option(each: Field[Any]) -> Any:  # noqa: ANN401 (typer's)
    facts = each.metadata
    flags = [facts["flag"]] if facts["flag"] else []
    return typer.Option(
        *flags, help=facts["help"], show_default=_default_text(each), **facts["limits"]
    )


def _default_text(each: Field[Any]) -> str | bool:
    """Return what `--help` says about the default; False for nothing."""

    def text(value: object) -> str:
        if isinstance(value, tuple):
            return ", ".join(map(str, value)) or "all"
        return str(value)

    quick = each.metadata["quick"]
    if each.default is None:
        return False
    default = text(each.default)
    return default if quick is None else f"{default}; --quick: {text(quick)}"
