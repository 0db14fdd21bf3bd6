"""`generative-ik place`: where a base should stand so that the tip reaches the poses of a file."""

import math
from typing import TYPE_CHECKING, Annotated, Any

import typer

from generative_ik_ros.cli.chains import ChainOptions
from generative_ik_ros.cli.collisions import CollisionOptions
from generative_ik_ros.cli.groups import with_groups
from generative_ik_ros.cli.options import ExitCode, Json, MaybePath, MaybeText, Plot, parse_array
from generative_ik_ros.cli.solver import RegionOptions
from generative_ik_ros.cli.targets import parse_pose

if TYPE_CHECKING:
    from generative_ik_ros.reach.placement import BasePlacements


@with_groups
def place(
    *,
    poses: Annotated[
        str, typer.Option(metavar="FILE", help="The tasks in the world, as for solve --poses.")
    ],
    arm: ChainOptions,
    map: Annotated[
        MaybePath,
        typer.Option(metavar="FILE", help="A reachability map, for estimates: see reach --save."),
    ] = None,
    bounds: Annotated[
        MaybeText,
        typer.Option(
            metavar="X Y Z X Y Z",
            help="Lower and upper corner of the box of bases (m), of equal heights for a floor. "
            "Default: all that may reach the tasks, at height 0.",
        ),
    ] = None,
    candidates: Annotated[
        MaybeText,
        typer.Option(metavar="FILE", help="Bases to choose from instead, as for solve --poses."),
    ] = None,
    mount: Annotated[
        MaybeText,
        typer.Option(
            metavar="X Y Z QX QY QZ QW",
            help="Pose of the base link in the body that is placed. Default: it is the base link.",
        ),
    ] = None,
    step: Annotated[float, typer.Option(help="Distance of neighbouring bases in metres.")] = 0.1,
    yaw_step: Annotated[float, typer.Option(help="Angle between them in radians.")] = 0.3927,
    region: RegionOptions,
    objective: Annotated[
        str,
        typer.Option(
            metavar="manipulability|limit_margin|clearance|num_solutions",
            help="Ranks bases that reach all poses.",
        ),
    ] = "manipulability",
    mean: Annotated[
        bool, typer.Option("--mean", help="Rank by the mean over all poses, not by the worst.")
    ] = False,
    num_bases: Annotated[int, typer.Option(help="Number of bases to return.")] = 5,
    checked: CollisionOptions,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Find bases from which the tip reaches all poses, best first.

    Options of several numbers take them with spaces or commas between.
    """
    from generative_ik_ros.cli.console import check_outputs, progress, spinner
    from generative_ik_ros.cli.poses import read_poses
    from generative_ik_ros.reach.placement import place_base
    from generative_ik_ros.reach.reachability_map import ReachabilityMap

    check_outputs(plot=plot)
    checked.check()
    chain = arm.chain()
    tasks = read_poses(poses)
    arguments: dict[str, Any] = {
        "bounds": None if bounds is None else parse_array("--bounds", bounds, (2, 3)),
        "candidates": None if candidates is None else read_poses(candidates),
        "mount": None if mount is None else parse_pose("--mount", mount),
        "step": step,
        "yaw_step": yaw_step,
        "region": region.region(),
        "objective": objective,
        "mean": mean,
        "num_bases": num_bases,
    }
    with spinner("reading the robot's geometry and the map"):
        arguments["collision"] = checked.model(arm.robot, arm.urdf)
        arguments["scene"] = checked.read_scene()
        arguments["map"] = None if map is None else ReachabilityMap.load(map)
    with progress() as shown:
        task = shown.add_task("placing the base", total=None)

        def tell(done: int, of: int) -> None:
            shown.update(task, completed=done, total=of)

        found = place_base(chain, tasks, on_progress=tell, **arguments)
    _print(found, as_json=as_json)
    if plot is not None:
        from generative_ik_ros.cli.plot import plot_placement

        plot_placement(chain, found, tasks, plot)
    raise typer.Exit(ExitCode.of(bool(found.reached[0].all())))


def _print(found: "BasePlacements", *, as_json: bool) -> None:
    """Print the bases as a table, or as JSON."""
    import numpy as np

    from generative_ik_ros.cli.console import console, json_text
    from generative_ik_ros.robot.quaternions import unit_quaternions

    if as_json:
        rows = [
            {
                "position": base[:3, 3],
                "orientation": unit_quaternions(base[:3, :3]),
                "reached": reached,
                "score": score,
                "task_scores": task_scores,
                "positions": positions,
            }
            for base, reached, score, task_scores, positions in zip(
                found.bases, found.reached, found.scores, found.task_scores, found.positions,
                strict=True,
            )
        ]  # fmt: skip
        typer.echo(json_text({"joint_names": found.joint_names, "bases": rows}))
        return
    from rich.table import Table

    table = Table("", "x [m]", "y [m]", "z [m]", "yaw [rad]", "tasks reached", found.objective)
    total = found.reached.shape[1]
    for number, (base, reached, score) in enumerate(
        zip(found.bases, found.reached, found.scores, strict=True), start=1
    ):
        yaw = math.atan2(base[1, 0], base[0, 0])
        numbers = [f"{value:.3f}" for value in (*base[:3, 3], yaw)]
        shown = "-" if np.isnan(score) else f"{score:.4g}"
        table.add_row(str(number), *numbers, f"{reached.sum()} of {total}", shown)
    console().print(table)
