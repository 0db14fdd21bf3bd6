"""`generative-ik solve`: many distinct, verified configurations for one pose."""

from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_ros.cli import chains
from generative_ik_ros.cli.options import (
    MaybeCount,
    MaybeNumber,
    MaybePath,
    MaybeText,
    parse_numbers,
)
from generative_ik_ros.errors import InvalidArgumentError, InvalidTargetError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from generative_ik_ros.robot.chain import KinematicChain


def solve(
    robot: chains.Robot = None,
    urdf: chains.Urdf = None,
    base_link: chains.BaseLink = None,
    tip_link: chains.TipLink = None,
    pose: Annotated[
        MaybeText,
        typer.Option(
            metavar="X Y Z QX QY QZ QW",
            help="Tip in base: metres and a quaternion. Default: a random reachable pose.",
        ),
    ] = None,
    num_solutions: Annotated[
        int, typer.Option("--num-solutions", "-n", help="Number of distinct solutions.")
    ] = 100,
    sampler: Annotated[str, typer.Option(help="What proposes the seeds.")] = "auto",
    missing_limits: chains.MissingLimits = "error",
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
    timeout: Annotated[MaybeNumber, typer.Option(help="Deadline in seconds.")] = None,
    position_tolerance: Annotated[
        float, typer.Option(help="In metres; inf leaves it free.")
    ] = 1e-5,
    orientation_tolerance: Annotated[
        float, typer.Option(help="In radians; inf leaves it free.")
    ] = 1e-5,
    random_seed: Annotated[
        MaybeCount, typer.Option(help="The same seed gives the same result.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON only.")] = False,
    plot: Annotated[
        MaybePath,
        typer.Option(metavar="FILE", help="Draw all configurations (.png, .pdf, .svg)."),
    ] = None,
) -> None:
    """Find many exact, distinct joint configurations for one pose of the tip.

    Options of several numbers take them with spaces or commas between.
    """
    from generative_ik_ros.cli.console import json_text, spinner

    if plot is not None:
        from generative_ik_ros.cli.plot import check_plot_path

        check_plot_path(plot)
    chain = chains.chosen_chain(robot, urdf, base_link, tip_link, missing_limits)
    tip_in_base = _random_pose(chain, random_seed) if pose is None else _target(pose)
    from generative_ik_ros.cli.report import print_report, report
    from generative_ik_ros.pipeline import IKSolver

    solver = IKSolver(
        chain,
        sampler=sampler,
        position_tolerance=position_tolerance,
        orientation_tolerance=orientation_tolerance,
    )
    seed = None if seed_state is None else parse_numbers("--seed-state", seed_state)
    limits = None
    if consistency_limits is not None:
        limits = parse_numbers("--consistency-limits", consistency_limits)
        limits = limits * chain.num_joints if len(limits) == 1 else limits
    with spinner("compiling or loading the solver's kernels"):
        solver.warm_up()
    with spinner("solving"):
        found = solver.solve(
            tip_in_base,
            num_solutions=num_solutions,
            seed_state=seed,
            consistency_limits=limits,
            timeout=timeout,
            random_seed=random_seed,
        )
    if plot is not None:
        from generative_ik_ros.cli.plot import plot_solutions

        title, shown = None, found.of(0)
        if not len(shown):
            title, shown = "no solution; the closest configuration", found.best_effort[:1]
        plot_solutions(chain, shown, tip_in_base[None], plot, title=title)
    if as_json:
        typer.echo(json_text(report(solver, found, tip_in_base, random_pose=pose is None)))
    else:
        print_report(solver, found, tip_in_base, random_pose=pose is None)
        if plot is not None:
            typer.echo(f"wrote {plot}")
    raise typer.Exit(0 if found.counts[0] else 1)


def _target(pose: str) -> "NDArray[np.float64]":
    """Read the position and quaternion (x, y, z, w) of a pose, and return its matrix (4, 4)."""
    from generative_ik_ros.robot.poses import pose_matrix

    numbers = parse_numbers("--pose", pose)
    if len(numbers) != 7:
        raise InvalidArgumentError(
            f"--pose takes 7 numbers, x y z and a quaternion x y z w, got {len(numbers)}"
        )
    try:
        return pose_matrix(numbers[:3], numbers[3:])
    except InvalidTargetError as error:
        raise InvalidTargetError(f"--pose: {error}") from None


def _random_pose(chain: "KinematicChain", random_seed: int | None) -> "NDArray[np.float64]":
    """Return where the tip is in a random configuration inside the limits (4, 4)."""
    from generative_ik_ros.robot.random_poses import random_reachable_poses

    if random_seed is not None and random_seed < 0:
        raise InvalidArgumentError(f"--random-seed must not be negative, got {random_seed}")
    return random_reachable_poses(chain, 1, random_seed)[0]
