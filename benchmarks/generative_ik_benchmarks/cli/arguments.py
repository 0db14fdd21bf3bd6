"""A dataclass of options as the parameters of a typer command."""

from collections.abc import Callable, Sequence
from dataclasses import Field, fields
from inspect import Parameter, Signature
from pathlib import Path
from typing import Annotated, Any, Optional, get_args, get_origin, get_type_hints

import typer

from generative_ik_benchmarks.cli.common import (
    Json,
    PlotDir,
    Quick,
    Robot,
    RobotsDir,
    prepare,
    robots_of,
)
from generative_ik_benchmarks.options import RunOptions, options_of
from generative_ik_ros.cli.plot import check_plot_path


def command_of(
    options: type[RunOptions],
    run: Callable[..., None],
    *,
    robots: bool = True,
    plot_dir: bool = False,
) -> Callable[..., None]:
    """Return a function with the fields of a dataclass of options as its parameters.

    Args:
        options: The dataclass.
        run: Called with the values by the names of the parameters.
        robots: Whether there are options for the robots, too.
        plot_dir: Whether there is an option for a folder of pictures, too.
    """
    annotations: dict[str, Any] = {"robots_dir": RobotsDir, "robot": Robot} if robots else {}
    annotations |= _annotations(options)
    annotations |= {"plot_dir": PlotDir} if plot_dir else {}
    annotations |= {"quick": Quick, "json_file": Json}

    def command(**given: Any) -> None:  # noqa: ANN401 (as typer parsed it)
        run(**given)

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


def paper_command(
    options: type[RunOptions],
    sampler: str,
    run: Callable[..., None],
    robots: Sequence[str] = ("all",),
) -> Callable[..., None]:
    """Return the function of a paper's command: it checks what is given, then runs.

    Args:
        options: The paper's dataclass of options, with a file for the `plot`.
        sampler: The paper's sampler.
        run: Called with the options, the chains, and the JSON file.
        robots: The chains where none is named.
    """

    def checked(
        *,
        robots_dir: Path | None,
        robot: Sequence[str] | None,
        quick: bool,
        json_file: str | None,
        **given: Any,  # noqa: ANN401 (the dataclass's options)
    ) -> None:
        prepare(json_file, [sampler])
        chosen: Any = options_of(options, given, quick=quick)
        if chosen.plot is not None:
            check_plot_path(chosen.plot)
        run(chosen, robots_of(robots_dir, robot, robots), json_file)

    return command_of(options, checked)


def _annotations(options: type[RunOptions]) -> dict[str, Any]:
    hints = get_type_hints(options)
    # What all protocols have is inherited and comes first, but reads better last.
    own = sorted(fields(options), key=lambda each: each.name == "random_seed")
    return {
        each.name: Annotated[_typer_type(hints[each.name]), _typer_option(each)]
        for each in own
        if "help" in each.metadata
    }


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
