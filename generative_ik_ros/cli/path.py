"""`generative-ik path`: joint positions that follow the poses of a file without a jump."""

import sys
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

import typer

from generative_ik_ros.cli.chains import ChainOptions
from generative_ik_ros.cli.collisions import CollisionOptions
from generative_ik_ros.cli.groups import with_groups
from generative_ik_ros.cli.options import (
    ExitCode,
    JointWeights,
    Json,
    MaybeText,
    Plot,
    TableFile,
    parse_for_joints,
)
from generative_ik_ros.cli.solver import Prefer, RegionOptions, SolverOptions
from generative_ik_ros.cli.timing import TimingOptions
from generative_ik_ros.errors import InvalidArgumentError

if TYPE_CHECKING:
    from generative_ik_ros.cli.tables import Rows
    from generative_ik_ros.paths.result import IKPath


@with_groups
def path(
    *,
    file: Annotated[
        MaybeText, typer.Argument(metavar="[FILE]", help="The same as --poses FILE.")
    ] = None,
    poses: Annotated[
        MaybeText, typer.Option(metavar="FILE", help="Poses in order, as for solve --poses.")
    ] = None,
    arm: ChainOptions,
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
            help="Where the arm is (rad or m), within --max-step of a solution of the first pose. "
            "Default: the start from which the path leads furthest.",
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
    joint_weights: JointWeights = None,
    region: RegionOptions,
    accuracy: SolverOptions,
    prefer: Prefer = None,
    checked: CollisionOptions,
    timing: TimingOptions,
    plot: Plot = None,
    as_json: Json = False,
) -> None:
    """Find joint positions that follow poses along a path without a jump.

    Options of several numbers take them with spaces or commas between.
    """
    from generative_ik_ros.cli.console import check_outputs, spinner
    from generative_ik_ros.cli.poses import read_poses
    from generative_ik_ros.cli.tables import open_table

    if (file is None) == (poses is None):
        raise InvalidArgumentError("path needs its poses once: --poses FILE, or FILE alone")
    check_outputs(table=output, plot=plot)
    timing.check(output)
    checked.check()
    chain = arm.chain()
    targets = read_poses(str(poses or file))
    request: dict[str, Any] = {
        "seed_state": parse_for_joints("--seed-state", seed_state, each=True),
        "max_step": parse_for_joints("--max-step", max_step),
        "end_state": parse_for_joints("--end-state", end_state, each=True),
        "closed": closed,
        "objective": objective,
        "joint_weights": parse_for_joints("--joint-weights", joint_weights, each=True),
        "timeout": accuracy.timeout,
        "region": region.region(),
    }
    with spinner("reading the robot's geometry"):
        model, obstacles = checked.model(arm.robot, arm.urdf), checked.read_scene()
        solver = accuracy.solver(chain, model, prefer)
    timing.check_limits(chain)
    with spinner("following the path"):
        found = solver.solve_path(targets, scene=obstacles, **request)
    with open_table(output, chain.names, as_json=as_json) as table:
        table.add(_rows(found))
    where = "" if output is None else f" -> {output}"
    print(f"{_outcome(found)} ({found.total_time:.2f} s){where}", file=sys.stderr)
    collides = None if model is None else partial(solver.collides, scene=obstacles)
    timing.write(found, chain, collides)
    if plot is not None and found.num_reached:
        from generative_ik_ros.cli.plot import plot_path

        plot_path(chain, found, targets, obstacles, plot)
    raise typer.Exit(ExitCode.of(found.complete))


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
    from generative_ik_ros import solutions
    from generative_ik_ros.cli.report import WHAT_TO_FREE

    reason = found.reason.replace(solutions.WHAT_TO_FREE, WHAT_TO_FREE)
    return (
        f"path through {reached} of {total} poses: {reason}" if reached else f"no path: {reason}"
    )
