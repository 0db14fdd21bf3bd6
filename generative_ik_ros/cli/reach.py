"""`generative-ik reach`: which poses an arm reaches, as a map: computed, stored, seen."""

import inspect
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from generative_ik_ros.cli.chains import ChainOptions
from generative_ik_ros.cli.collisions import CollisionOptions
from generative_ik_ros.cli.groups import with_groups
from generative_ik_ros.cli.options import (
    ExitCode,
    Json,
    MaybePath,
    MaybeText,
    MaybeTexts,
    Plot,
    RandomSeed,
    parse_array,
    split_words,
)
from generative_ik_ros.cli.view import Host, Port, check_viser, serve
from generative_ik_ros.errors import InvalidArgumentError

if TYPE_CHECKING:
    from generative_ik_ros.reach.reachability_map import ReachabilityMap
    from generative_ik_ros.robot.chain import KinematicChain


@with_groups
def reach(
    *,
    arm: ChainOptions,
    resolution: Annotated[float, typer.Option(help="Edge of a voxel, in metres.")] = 0.05,
    orientations: Annotated[
        int, typer.Option(min=1, help="Approximate number of orientations in each voxel.")
    ] = 200,
    region: Annotated[
        MaybeText,
        typer.Option(
            metavar="X Y Z X Y Z",
            help="Lower and upper corner of the box of positions (m). Default: all within reach.",
        ),
    ] = None,
    cone: Annotated[
        MaybeText,
        typer.Option(
            metavar="X Y Z ANGLE",
            help="Only directions of approach within ANGLE (rad) of the axis X Y Z of the base.",
        ),
    ] = None,
    measures: Annotated[
        MaybeTexts,
        typer.Option(
            metavar="NAME,...",
            help="What to measure for each pose: num_solutions, manipulability, limit_margin, "
            "clearance. Default: only whether it is reached.",
        ),
    ] = None,
    num_solutions: Annotated[
        int,
        typer.Option(
            min=1, help="Largest number of solutions of a pose that --measures considers."
        ),
    ] = 16,
    share: Annotated[
        float, typer.Option(help="Share of the orientations to try, for a quick look.")
    ] = 1.0,
    random_seed: RandomSeed = None,
    checked: CollisionOptions,
    dask: Annotated[
        MaybeText,
        typer.Option(metavar="ADDRESS", help="Scheduler of the cluster that computes it."),
    ] = None,
    source: Annotated[
        MaybePath,
        typer.Option("--from", metavar="PATH", help="A stored map, instead of a computation."),
    ] = None,
    save: Annotated[
        MaybePath,
        typer.Option(
            metavar="PATH",
            help="Where to keep the map: .npz, or a folder (Zarr), in which an interrupted "
            "computation goes on.",
        ),
    ] = None,
    export: Annotated[
        MaybePath, typer.Option(metavar="FILE", help="Write points (.ply) or a table (.csv).")
    ] = None,
    plot: Plot = None,
    directions: Annotated[
        bool, typer.Option("--directions", help="For --plot: arrows for directions of approach.")
    ] = False,
    view: Annotated[
        bool, typer.Option("--view", help="Show the map on a web page, with clip planes.")
    ] = False,
    host: Host = "127.0.0.1",
    port: Port = 8080,
    as_json: Json = False,
) -> None:
    """Find which positions an arm reaches, in how many orientations, and how well.

    Options of several numbers take them with spaces or commas between.
    """
    from generative_ik_ros.cli.console import spinner
    from generative_ik_ros.cli.reach_report import report
    from generative_ik_ros.reach.export import export as write
    from generative_ik_ros.reach.reachability_map import ReachabilityMap, check_fits

    request: dict[str, Any] = {
        "resolution": resolution,
        "orientations": orientations,
        "region": region,
        "cone": cone,
        "measures": measures,
        "num_solutions": num_solutions,
        "share": share,
        "random_seed": random_seed,
        "dask": dask,
    }
    if source is not None:
        _check_not_given(request)
    _check_files(source, save, export, plot, directions=directions, view=view)
    checked.check(meshes_also_drawn=view)
    if source is not None and checked.wanted and not view:
        raise InvalidArgumentError("--from is a map as it is: --scene would change nothing")
    chain = None
    if source is None or view or plot is not None or arm.named:
        chain = arm.chain()
    with spinner("reading the robot's geometry"):
        collision, scene = checked.model(arm.robot, arm.urdf), checked.read_scene()
    if source is None:
        assert chain is not None  # noqa: S101
        request |= {"collision": collision, "scene": scene}
        found, seconds, computed = _compute(chain, request, save)
    else:
        found, seconds, computed = ReachabilityMap.load(source), None, 0.0
        if chain is not None:
            check_fits(found, chain)
    if save is not None and (source is not None or save.suffix == ".npz"):
        found.save(save)
    report(found, seconds, computed, as_json=as_json)
    if export is not None:
        write(found, export)
    if plot is not None and chain is not None:
        from generative_ik_ros.cli.plot import plot_reach

        plot_reach(chain, found, plot, directions=directions)
    for file in (save, export, plot):
        if file is not None:
            print(f"wrote {file}", file=sys.stderr)
    if view and chain is not None:
        from generative_ik_ros.viewer.session import Settings

        # Most configurations that are shown for a voxel that is clicked on.
        settings = Settings(num_solutions=20)
        content = {"collision": collision, "obstacles": scene, "reach": found}
        serve(chain, checked.mesh_dir, settings, host, port, **content)
    raise typer.Exit(ExitCode.of(bool(found.reachable.any())))


def _check_not_given(request: dict[str, Any]) -> None:
    """Refuse options of a computation where there is none."""
    parameters = inspect.signature(reach).parameters
    for name, value in request.items():
        if value not in (parameters[name].default, [], ()):
            raise InvalidArgumentError(
                f"--{name.replace('_', '-')} is for a computation, which --from replaces"
            )


def _check_files(
    source: Path | None,
    save: Path | None,
    export: Path | None,
    plot: Path | None,
    *,
    directions: bool,
    view: bool,
) -> None:
    """Check that files can be written and shown, before anything is computed for them."""
    from generative_ik_ros.cli.console import check_outputs, check_writable
    from generative_ik_ros.reach.export import check_export_ending

    if directions and plot is None:
        raise InvalidArgumentError("--directions is for --plot, which is not given")
    if source is not None and save is not None and source.resolve() == save.resolve():
        raise InvalidArgumentError("--from and --save name the same map")
    if save is not None and save.suffix == ".npz":
        check_writable(save)
    if export is not None:
        check_export_ending(export)
        check_writable(export)
    check_outputs(plot=plot)
    if view:
        check_viser()


def _compute(
    chain: "KinematicChain", request: dict[str, Any], save: Path | None
) -> tuple["ReachabilityMap", float, float]:
    """Compute a map with a progress bar, in the folder `save` if that is one.

    Of the arguments of `ReachabilityMap.compute` in `request`, those of several numbers are text.
    Also returns the time that it took [s], and the share of the map that was not there before.
    """
    from generative_ik_ros.cli.console import progress
    from generative_ik_ros.reach.reachability_map import ReachabilityMap

    region, cone, measures = (request[name] for name in ("region", "cone", "measures"))
    axis = [] if cone is None else parse_array("--cone", cone, (4,))
    arguments = request | {
        "region": None if region is None else parse_array("--region", region, (2, 3)),
        "cone": None if cone is None else (axis[:3], axis[3]),
        "measures": tuple(split_words(measures or ())),
    }
    folder = save if save is not None and save.suffix != ".npz" else None
    chunks, total = [], 1
    start = time.perf_counter()
    try:
        with progress() as shown:
            task = shown.add_task("computing", total=None)

            def tell(done: int, of: int) -> None:
                nonlocal total
                # What was there before the first call is no measure of speed.
                change = shown.update if chunks else shown.reset
                change(task, completed=done, total=of)
                chunks.append(done)
                total = of

            found = ReachabilityMap.compute(chain, path=folder, on_progress=tell, **arguments)
    except KeyboardInterrupt:
        if chunks:
            _tell_how_to_resume(chunks[-1], total, folder)
        raise
    return found, time.perf_counter() - start, 1.0 - chunks[0] / total


def _tell_how_to_resume(done: int, total: int, folder: Path | None) -> None:
    told = f"stopped after {done} of {total} chunks; "
    if not done:
        told = f"stopped before the first of {total} chunks was done"
    elif folder is not None:
        told += f"'{folder}' keeps them: the same command goes on from there"
    else:
        told += "they are lost: with --save FOLDER the same command would go on from there"
    print(told, file=sys.stderr)
