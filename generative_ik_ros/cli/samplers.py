"""`generative-ik samplers`: what each sampler proposes for a pose, beside the others."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_ros.cli.chains import ChainOptions
from generative_ik_ros.cli.groups import with_groups
from generative_ik_ros.cli.options import Json, MaybeTexts, Plot, RandomSeed
from generative_ik_ros.cli.targets import Poses, read_targets
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError, UnsupportedChainError

if TYPE_CHECKING:
    from rich.table import Table

    from generative_ik_ros.cli.sampler_figures import SamplerFigures

SHOWN = ("auto", "ikflow", "ggik", "distal")


@with_groups
def samplers(
    *,
    arm: ChainOptions,
    pose: Poses = None,
    sampler: Annotated[
        MaybeTexts,
        typer.Option(help=f"A sampler to show; may be repeated. Default: {', '.join(SHOWN)}."),
    ] = None,
    samples: Annotated[int, typer.Option(min=1, help="Number of raw samples of each.")] = 200,
    num_solutions: Annotated[
        int,
        typer.Option("--num-solutions", "-n", min=1, help="Number of solutions of a whole call."),
    ] = 100,
    random_seed: RandomSeed = None,
    as_json: Json = False,
    plot: Plot = None,
) -> None:
    """Compare samplers on one pose: raw samples, what becomes exact, and whole calls."""
    from generative_ik_ros.cli.console import check_outputs, console, json_text, progress
    from generative_ik_ros.cli.sampler_figures import measure_sampler
    from generative_ik_ros.robot.kinematic_tree import KinematicTree
    from generative_ik_ros.samplers.registry import AUTO, sampler_names

    names = tuple(sampler or SHOWN)
    for name in names:
        if name not in (AUTO, *sampler_names()):
            raise UnknownNameError("sampler", name, (AUTO, *sampler_names()))
    if len(pose or ()) > 1:
        raise InvalidArgumentError("samplers are compared on one pose; give --pose once")
    check_outputs(plot=plot)
    chain = arm.chain()
    if isinstance(chain, KinematicTree):
        raise UnsupportedChainError("samplers are compared on chains without loops")
    target = read_targets(chain, pose, None, random_seed, False)
    with progress() as bar:
        found: dict[str, SamplerFigures | str] = {
            name: measure_sampler(chain, name, target, samples, num_solutions, random_seed or 0)
            for name in bar.track(names, description="samplers")
        }
    usable = [one for one in found.values() if not isinstance(one, str)]
    if plot is not None and usable:
        from generative_ik_ros.cli.plot import plot_samplers

        plot_samplers(chain, usable, target, plot)
    if as_json:
        typer.echo(json_text(found))
        return
    console().print(samplers_table(found, samples, num_solutions))
    for name, one in found.items():
        if isinstance(one, str):
            typer.echo(f"{name}: {one}")
    if plot is not None and usable:
        typer.echo(f"wrote {plot}")


def samplers_table(
    found: "Mapping[str, SamplerFigures | str]", samples: int, wanted: int
) -> "Table":
    """Return a table with a row for each sampler that can be used."""
    from math import degrees, isnan

    from rich.table import Table

    title = f"{samples} raw samples of one pose; whole calls for {wanted} solutions"
    table = Table(title=title, title_justify="left")
    for head in ("sampler", "device", "raw error (mm)", "(deg)", "become exact (%)", "solutions"):
        table.add_column(head, justify="left" if head in ("sampler", "device") else "right")
    table.add_column("call (ms)", justify="right")
    for one in found.values():
        if isinstance(one, str):
            continue
        raw = 1e3 * one.position_error, degrees(one.orientation_error), 100.0 * one.converged
        cells = ("-" if isnan(value) else f"{value:.3g}" for value in raw)
        whole = str(len(one.solutions)), f"{1e3 * one.seconds:.2f}"
        table.add_row(one.sampler, one.device, *cells, *whole)
    return table
