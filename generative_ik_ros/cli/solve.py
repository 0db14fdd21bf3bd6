"""`generative-ik solve`: distinct, verified configurations for one pose, or for each of many."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from generative_ik_ros.cli import targets
from generative_ik_ros.cli.chains import ChainOptions
from generative_ik_ros.cli.collisions import CollisionOptions
from generative_ik_ros.cli.groups import with_groups
from generative_ik_ros.cli.options import (
    ExitCode,
    JointWeights,
    Json,
    MaybeCount,
    MaybeText,
    Plot,
    RandomSeed,
    TableFile,
    parse_for_joints,
    parse_numbers,
)
from generative_ik_ros.cli.solver import Prefer, RegionOptions, SolverOptions
from generative_ik_ros.errors import InvalidArgumentError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from generative_ik_ros.pipeline import IKSolver
    from generative_ik_ros.robot.chain import KinematicChain


@with_groups
def solve(
    *,
    arm: ChainOptions,
    pose: targets.Poses = None,
    poses: Annotated[
        MaybeText,
        typer.Option(
            metavar="FILE",
            help="Many poses: CSV with the header x,y,z,qx,qy,qz,qw or x,y,z,roll,pitch,yaw, "
            ".npy or .npz of (B, 7) or (B, 4, 4), or - for CSV from standard input.",
        ),
    ] = None,
    goal_set: targets.GoalSet = False,  # noqa: FBT002
    output: TableFile = None,
    num_solutions: Annotated[
        MaybeCount,
        typer.Option(
            "--num-solutions",
            "-n",
            help="Number of distinct solutions. Default: 100, or 1 for each of --poses.",
        ),
    ] = None,
    seed_state: Annotated[
        MaybeText,
        typer.Option(
            metavar="Q1 Q2 ...", help="Order solutions by their distance from this (rad or m)."
        ),
    ] = None,
    consistency_limits: Annotated[
        MaybeText,
        typer.Option(
            metavar="D | D1 D2 ...",
            help="Largest distance from the seed state, for all joints or for each (rad or m).",
        ),
    ] = None,
    order_by: Annotated[
        MaybeText,
        typer.Option(
            metavar="diverse|diverse_tip|nearest|manipulability|limit_margin|clearance|likelihood",
            help="Which solutions come first. Default: nearest with --seed-state, else diverse.",
        ),
    ] = None,
    joint_weights: JointWeights = None,
    optimize: Annotated[
        bool,
        typer.Option(
            "--optimize", help="Move the best solutions along self-motions, by --order-by."
        ),
    ] = False,
    region: RegionOptions,
    accuracy: SolverOptions,
    prefer: Prefer = None,
    random_seed: RandomSeed = None,
    checked: CollisionOptions,
    as_json: Json = False,
    plot: Plot = None,
) -> None:
    """Find exact, distinct joint configurations for a pose of the tip, or for each of many.

    Options of several numbers take them with spaces or commas between.
    """
    from generative_ik_ros.cli.console import spinner

    many = poses is not None and not goal_set
    _check_files(pose, poses, output, plot, many)
    targets.check_targets(pose, poses, arm.tips, goal_set)
    checked.check()
    bounds = region.region(max(len(arm.tips), 1))
    chain = arm.tree()
    wanted = targets.read_targets(chain, pose, poses, random_seed, goal_set)
    if num_solutions is None:
        num_solutions = 1 if many else 100
    from generative_ik_ros.select.preferences import CLEARANCE

    with spinner("reading the robot's geometry"):
        model, obstacles = checked.model(arm.robot, arm.urdf), checked.read_scene()
        if order_by == CLEARANCE and model is None:
            raise InvalidArgumentError("--order-by clearance needs --scene or --avoid-collisions")
        solver = accuracy.solver(chain, model, prefer)
    request = {
        "num_solutions": num_solutions,
        "seed_state": parse_for_joints("--seed-state", seed_state, each=True),
        "consistency_limits": _limits(chain, consistency_limits),
        "timeout": accuracy.timeout,
        "random_seed": random_seed,
        "scene": obstacles,
        "order_by": order_by,
        "joint_weights": parse_for_joints("--joint-weights", joint_weights, each=True),
        "optimize": optimize,
        "region": bounds,
        "goal_set": goal_set,
    }
    if many:
        from generative_ik_ros.cli.many import solve_many

        solved = solve_many(solver, wanted, request, output, as_json=as_json)
    else:
        given = pose is not None or poses is not None
        solved = _solve_one(solver, wanted, request, not given, as_json, plot)
    raise typer.Exit(ExitCode.of(solved))


def _solve_one(
    solver: "IKSolver",
    target: "NDArray[np.float64]",
    request: dict[str, Any],
    random_pose: bool,  # noqa: FBT001
    as_json: bool,  # noqa: FBT001
    plot: Path | None,
) -> bool:
    """Solve for one target, print and plot the result, and return whether it has a solution."""
    from generative_ik_ros.cli.console import json_text, spinner
    from generative_ik_ros.cli.report import print_report, report

    with spinner("solving"):
        found = solver.solve(target, **request)
    if plot is not None:
        from generative_ik_ros.cli.plot import plot_scene, plot_solutions

        if found.clearance is not None:
            plot_scene(solver, found, target, request, plot)
        else:
            title, shown = None, found.of(0)
            if not len(shown):
                title, shown = "no solution; the closest configuration", found.best_effort[:1]
            plot_solutions(solver.chain, shown, target, plot, title=title)
    if as_json:
        typer.echo(json_text(report(solver, found, target, random_pose=random_pose)))
    else:
        print_report(solver, found, target, random_pose=random_pose)
        if plot is not None:
            typer.echo(f"wrote {plot}")
    return bool(found.counts[0])


def _check_files(
    pose: list[str] | None,
    poses: str | None,
    output: Path | None,
    plot: Path | None,
    many: bool,  # noqa: FBT001
) -> None:
    """Check that files can be written and options go together, before anything is computed."""
    from generative_ik_ros.cli.console import check_outputs

    if not many and output is not None:
        raise InvalidArgumentError(
            "--output takes the solutions of --poses, each a target of its own"
            if poses is not None
            else "--output takes the solutions of --poses, which is not given"
        )
    if poses is not None and (pose or plot is not None):
        raise InvalidArgumentError("--poses goes neither with --pose nor with --plot")
    check_outputs(table=output, plot=plot)


def _limits(chain: "KinematicChain", consistency_limits: str | None) -> list[float] | None:
    if consistency_limits is None:
        return None
    limits = parse_numbers("--consistency-limits", consistency_limits)
    return limits * chain.num_joints if len(limits) == 1 else limits
