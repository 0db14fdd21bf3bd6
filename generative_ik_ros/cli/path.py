"""`generative-ik path`: joint positions that follow the poses of a file without a jump."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_ros.cli import chains
from generative_ik_ros.cli.options import (
    MaybeText,
    OrientationTolerance,
    PositionTolerance,
    Sampler,
    TableFile,
    Timeout,
    parse_numbers,
)

if TYPE_CHECKING:
    from generative_ik_ros.cli.tables import Rows
    from generative_ik_ros.paths.result import IKPath


def path(
    file: Annotated[
        str, typer.Argument(metavar="FILE", help="Poses in order, as for solve --poses.")
    ],
    robot: chains.Robot = None,
    urdf: chains.Urdf = None,
    base_link: chains.BaseLink = None,
    tip_link: chains.TipLink = None,
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
    sampler: Sampler = "auto",
    missing_limits: chains.MissingLimits = "error",
    timeout: Timeout = None,
    position_tolerance: PositionTolerance = 1e-5,
    orientation_tolerance: OrientationTolerance = 1e-5,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON, a line for a pose.")
    ] = False,
) -> None:
    """Find joint positions that follow poses along a path without a jump.

    Options of several numbers take them with spaces or commas between.
    """
    from generative_ik_ros.cli.console import spinner
    from generative_ik_ros.cli.poses import read_poses
    from generative_ik_ros.cli.tables import check_table_path, open_table
    from generative_ik_ros.pipeline import IKSolver

    if output is not None:
        check_table_path(output)
    chain = chains.chosen_chain(robot, urdf, base_link, tip_link, missing_limits)
    poses = read_poses(file)
    step = None if max_step is None else parse_numbers("--max-step", max_step)
    solver = IKSolver(
        chain,
        sampler=sampler,
        position_tolerance=position_tolerance,
        orientation_tolerance=orientation_tolerance,
    )
    with spinner("compiling or loading the solver's kernels"):
        solver.warm_up(paths=True)
    with spinner("following the path"):
        found = solver.solve_path(
            poses,
            seed_state=None if seed_state is None else parse_numbers("--seed-state", seed_state),
            max_step=step[0] if step is not None and len(step) == 1 else step,
            timeout=timeout,
        )
    with open_table(output, chain.names, as_json=as_json) as table:
        table.add(_rows(found))
    where = "" if output is None else f" -> {output}"
    near = "" if seed_state is None else " within a step of the seed state"
    print(f"{_outcome(found, near)} ({found.total_time:.2f} s){where}", file=sys.stderr)
    raise typer.Exit(0 if found.complete else 1)


def _rows(found: "IKPath") -> "Rows":
    import numpy as np

    from generative_ik_ros.cli.tables import Rows

    indices = np.arange(len(found.positions))
    status = np.where(indices < found.num_reached, "REACHED", "NOT_REACHED")
    errors = found.position_error, found.orientation_error
    return Rows(indices, status, *errors, found.positions)


def _outcome(found: "IKPath", near: str) -> str:
    """Say how far the path leads, and where its first configuration was searched for."""
    reached, total = found.num_reached, len(found.positions)
    if found.complete:
        return f"path through all {total} poses"
    ending = "time was up" if found.timed_out else f"no step leads to pose {reached}"
    if reached:
        return f"path through {reached} of {total} poses, it ends at pose {reached - 1}: {ending}"
    return f"no path: {ending if found.timed_out else 'pose 0 has no configuration' + near}"
