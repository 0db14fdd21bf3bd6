"""`generative-ik path`: joint positions that follow the poses of a file without a jump."""

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from generative_ik_ros.cli import chains, collisions, regions
from generative_ik_ros.cli.options import (
    MaybeNumber,
    MaybePath,
    MaybeText,
    OrientationTolerance,
    PositionTolerance,
    Sampler,
    TableFile,
    Timeout,
    parse_numbers,
)
from generative_ik_ros.errors import InvalidArgumentError

if TYPE_CHECKING:
    from generative_ik_ros.cli.tables import Rows
    from generative_ik_ros.paths.result import IKPath
    from generative_ik_ros.robot.chain import KinematicChain


def path(
    file: Annotated[
        MaybeText, typer.Argument(metavar="[FILE]", help="The same as --poses FILE.")
    ] = None,
    poses: Annotated[
        MaybeText, typer.Option(metavar="FILE", help="Poses in order, as for solve --poses.")
    ] = None,
    robot: chains.Robot = None,
    urdf: chains.Urdf = None,
    base_link: chains.BaseLink = None,
    tip_link: chains.TipLink = None,
    fixed: chains.Fixed = None,
    output: TableFile = None,
    max_step: Annotated[
        MaybeText,
        typer.Option(
            metavar="D | D1 D2 ...",
            help="Largest change from one pose to the next, for all joints or for each "
            "(rad or m). Default: 0.2 rad, and a fifth of a prismatic joint's unit.",
        ),
    ] = None,
    seed_state: Annotated[
        MaybeText,
        typer.Option(
            metavar="Q1 Q2 ...",
            help="Where the arm is, within a step of the first pose (rad or m). "
            "Default: where the path leads furthest.",
        ),
    ] = None,
    end_state: Annotated[
        MaybeText,
        typer.Option(metavar="Q1 Q2 ...", help="Configuration to end in (rad or m)."),
    ] = None,
    closed: Annotated[
        bool, typer.Option("--closed", help="End in the configuration that the path begins with.")
    ] = False,
    objective: Annotated[
        MaybeText,
        typer.Option(
            metavar="length|largest_step|clearance|limit_margin",
            help="Search for better paths until the --timeout. Default: the first one found.",
        ),
    ] = None,
    joint_weights: Annotated[
        MaybeText, typer.Option(metavar="W1 W2 ...", help="Weights of the joints in the length.")
    ] = None,
    free_axis: regions.FreeAxis = None,
    region_lower: regions.RegionLower = None,
    region_upper: regions.RegionUpper = None,
    sampler: Sampler = "auto",
    missing_limits: chains.MissingLimits = "error",
    timeout: Timeout = None,
    position_tolerance: PositionTolerance = 1e-5,
    orientation_tolerance: OrientationTolerance = 1e-5,
    scene: collisions.SceneFile = None,
    avoid_collisions: collisions.AvoidCollisions = False,  # noqa: FBT002
    joint_positions: collisions.JointPositions = None,
    srdf: collisions.Srdf = None,
    mesh_dir: collisions.MeshDirs = None,
    spheres: collisions.Spheres = None,
    padding: collisions.Padding = None,
    trajectory: Annotated[
        MaybePath,
        typer.Option(
            metavar="FILE",
            help="Where to write positions, velocities and accelerations over time: .csv or "
            ".jsonl. See docs/paths.md.",
        ),
    ] = None,
    velocity_limits: Annotated[
        MaybeText,
        typer.Option(
            metavar="V | V1 V2 ...",
            help="For --trajectory, per second. Default: those of the robot description.",
        ),
    ] = None,
    acceleration_limits: Annotated[
        MaybeText,
        typer.Option(
            metavar="A | A1 A2 ...",
            help="For --trajectory, per square second. Default: full speed after 1 s.",
        ),
    ] = None,
    tip_speed: Annotated[
        MaybeNumber,
        typer.Option(help="For --trajectory: the tip's speed where limits allow it, in m/s."),
    ] = None,
    plot: Annotated[
        MaybePath,
        typer.Option(metavar="FILE", help="Draw the path (.png, .pdf, .svg, .gif)."),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, a line for a pose.")
    ] = False,
) -> None:
    """Find joint positions that follow poses along a path without a jump.

    Options of several numbers take them with spaces or commas between.
    """
    from generative_ik_ros.cli.console import spinner
    from generative_ik_ros.cli.poses import read_poses
    from generative_ik_ros.cli.tables import open_table
    from generative_ik_ros.pipeline import IKSolver

    if (file is None) == (poses is None):
        raise InvalidArgumentError("path needs its poses once: --poses FILE, or FILE alone")
    _check_files(output, trajectory, plot)
    limits = _limits(trajectory, velocity_limits, acceleration_limits, tip_speed)
    checked = collisions.CollisionOptions(
        scene, avoid_collisions, srdf, mesh_dir, spheres, padding, joint_positions
    )
    checked.check()
    chain = chains.chosen_chain(robot, urdf, base_link, tip_link, missing_limits, fixed)
    targets = read_poses(str(poses or file))
    request: dict[str, Any] = {
        "seed_state": _numbers("--seed-state", seed_state, each=True),
        "max_step": _numbers("--max-step", max_step),
        "end_state": _numbers("--end-state", end_state, each=True),
        "closed": closed,
        "objective": objective,
        "joint_weights": _numbers("--joint-weights", joint_weights, each=True),
        "timeout": timeout,
        "region": regions.region_of(free_axis, region_lower, region_upper),
    }
    with spinner("reading the robot's geometry"):
        model, obstacles = checked.model(robot, urdf), checked.read_scene()
        solver = IKSolver(
            chain,
            sampler=sampler,
            position_tolerance=position_tolerance,
            orientation_tolerance=orientation_tolerance,
            collision=model,
        )
    if trajectory is not None:
        from generative_ik_ros.trajectories.limits import velocity_limits as known_limits

        known_limits(chain, limits["velocity_limits"])
    with spinner("compiling or loading the solver's kernels"):
        solver.warm_up(paths=True, regions=request["region"] is not None)
    with spinner("following the path"):
        found = solver.solve_path(targets, scene=obstacles, **request)
    with open_table(output, chain.names, as_json=as_json) as table:
        table.add(_rows(found))
    where = "" if output is None else f" -> {output}"
    print(f"{_outcome(found)} ({found.total_time:.2f} s){where}", file=sys.stderr)
    if trajectory is not None and found.num_reached:
        collides = None if model is None else partial(solver.collides, scene=obstacles)
        _write_trajectory(found, chain, trajectory, {**limits, "collides": collides})
    if plot is not None and found.num_reached:
        from generative_ik_ros.cli.plot import plot_path

        plot_path(chain, found, targets, obstacles, plot)
    raise typer.Exit(0 if found.complete else 1)


def _limits(
    trajectory: Path | None, velocity: str | None, acceleration: str | None, tip: float | None
) -> dict[str, Any]:
    """Return the limits of a trajectory, as `time_path` takes them."""
    limits = {
        "velocity_limits": _numbers("--velocity-limits", velocity),
        "acceleration_limits": _numbers("--acceleration-limits", acceleration),
        "tip_speed": tip,
    }
    if trajectory is None and any(one is not None for one in limits.values()):
        raise InvalidArgumentError("limits and speeds are for --trajectory, which is not given")
    return limits


def _write_trajectory(
    found: "IKPath", chain: "KinematicChain", file: Path, arguments: dict[str, Any]
) -> None:
    """Time a path, with arguments of `time_path`, and write the trajectory."""
    from generative_ik_ros.cli.trajectories import write_trajectory
    from generative_ik_ros.trajectories.timing import time_path

    timed = time_path(found, chain, **arguments)
    write_trajectory(timed, file)
    print(f"{timed.duration:.2f} s to drive -> {file}", file=sys.stderr)


def _check_files(output: Path | None, trajectory: Path | None, plot: Path | None) -> None:
    """Check that files can be written, before anything is computed for them."""
    if output is not None:
        from generative_ik_ros.cli.tables import check_table_path

        check_table_path(output)
    if trajectory is not None:
        from generative_ik_ros.cli.trajectories import check_trajectory_path

        check_trajectory_path(trajectory)
    if plot is not None:
        from generative_ik_ros.cli.plot import check_plot_path

        check_plot_path(plot)


def _numbers(option: str, text: str | None, *, each: bool = False) -> list[float] | float | None:
    """Read the numbers of an option; a single one, unless it is for `each` joint, is for all."""
    if text is None:
        return None
    numbers = parse_numbers(option, text)
    return numbers[0] if len(numbers) == 1 and not each else numbers


def _rows(found: "IKPath") -> "Rows":
    import numpy as np

    from generative_ik_ros.cli.tables import Rows

    indices = np.arange(len(found.positions))
    status = np.where(indices < found.num_reached, "REACHED", "NOT_REACHED")
    errors = found.position_error, found.orientation_error
    return Rows(indices, status, *errors, found.positions)


def _outcome(found: "IKPath") -> str:
    """Say how far the path leads, and why no further."""
    reached, total = found.num_reached, len(found.positions)
    near = "" if found.clearance != found.clearance else (
        f", {1e3 * found.clearance:.1f} mm from collisions or more"
    )  # fmt: skip
    if found.complete:
        return f"path through all {total} poses, length {found.length:.3g}{near}"
    if reached:
        return f"path through {reached} of {total} poses: {found.reason}"
    return f"no path: {found.reason}"
