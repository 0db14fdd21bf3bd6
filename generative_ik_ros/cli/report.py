"""The report of `generative-ik solve`: a table for people, or everything as JSON."""

from collections.abc import Sequence

import numpy as np
from rich.markup import escape
from rich.table import Table

from generative_ik_ros.array_types import Floats
from generative_ik_ros.cli.console import console
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.poses import pose_numbers
from generative_ik_ros.solutions import IKSolutions, SolveStatus

_ROWS_SHOWN = 10
WHAT_TO_FREE = (
    "free an axis with --free-axis, or the orientation with --orientation-tolerance inf, or ask "
    "for the nearest orientation at the exact position with --prefer position (docs/few-joints.md)"
)


def report(
    solver: IKSolver, found: IKSolutions, target: Floats, *, random_pose: bool
) -> dict[str, object]:
    """Gather everything about the solutions of one target (..., 4, 4), random or not, for JSON."""
    closest = {
        "positions": found.best_effort[0],
        "position_error": found.best_effort_position_error[0],
        "orientation_error": found.best_effort_orientation_error[0],
    }
    chain, count = solver.chain, int(found.counts[0])
    return {
        "robot": chain.description.name,
        "base_link": chain.base_link,
        **_tips_and_targets(solver, found, target, random_pose=random_pose),
        "fingerprint": chain.fingerprint,
        "status": found.status[0].name,
        "count": count,
        "complete": bool(found.complete[0]),
        "joint_names": found.joint_names,
        "positions": found.of(0),
        "position_error": found.position_error[0, :count],
        "orientation_error": found.orientation_error[0, :count],
        "branch_of": found.branch_of[0, :count],
        "position_tolerance": solver.position_tolerance,
        "orientation_tolerance": solver.orientation_tolerance,
        "best_effort": closest,
        "sampler": found.sampler,
        "timings": found.timings._asdict(),
        **_collisions(found),
        **({} if found.scores is None else {"scores": found.scores[0, :count]}),
    }


def _tips_and_targets(
    solver: IKSolver, found: IKSolutions, target: Floats, *, random_pose: bool
) -> dict[str, object]:
    """Return tip and pose, or those of several tips, and all poses of a goal set."""
    chain, rows = solver.chain, []
    for pose in target.reshape(-1, 4, 4):
        numbers = pose_numbers(pose)
        rows.append(
            {"position": numbers[:3], "quaternion_xyzw": numbers[3:], "random": random_pose}
        )
    tips = chain.tip_links
    told: dict[str, object] = {"tip_links": tips} if len(tips) > 1 else {"tip_link": tips[0]}
    if target.ndim == 2:
        return {**told, "target": rows[0]}
    told["targets"] = rows
    if found.target_of is not None:
        told["target_of"] = found.target_of[0, : found.counts[0]]
    return told


def _collisions(found: IKSolutions) -> dict[str, object]:
    """Return what is known of collisions; nothing where they were not checked."""
    if found.clearance is None or found.blocked_by is None:
        return {}
    shown = found.clearance[0, : found.counts[0]]
    return {"clearance": shown, "blocked_by": found.blocked_by[0]}


def print_report(
    solver: IKSolver, found: IKSolutions, target: Floats, *, random_pose: bool
) -> None:
    """Print the pose, the first solutions and how long it took; arguments as in `report`."""
    closest = found.best_effort[0]
    chain, count, timings = solver.chain, int(found.counts[0]), found.timings
    rows = target.reshape(-1, 4, 4)
    print(f"{chain.description.name}: {chain.base_link} -> {', '.join(chain.tip_links)}")
    for row in rows[:_ROWS_SHOWN]:
        numbers = " ".join(f"{number:.9g}" for number in pose_numbers(row))
        print(f"{'random reachable pose' if random_pose else 'pose'}: --pose {numbers}")
    if len(rows) > _ROWS_SHOWN:
        print(f"... and {len(rows) - _ROWS_SHOWN} more poses")
    near = found.status[0] is SolveStatus.APPROXIMATE
    if near:
        kept, other = ("position", "orientation")[:: 1 if solver.prefer == "position" else -1]
        print(f"no exact solution; the {kept} is met, the {other} as nearly as possible:")
    if count:
        console(least_width=12 + 9 * (chain.num_joints + 3)).print(_table(chain, found))
        if count > _ROWS_SHOWN:
            print(f"... and {count - _ROWS_SHOWN} more (all of them with --json)")
    elif found.blocked_by is not None and found.blocked_by[0] is not None:
        print(f"{found.best_effort_message()}, as in {_row(closest)}")
    else:
        print(
            f"closest configuration, {found.best_effort_position_error[0]:.3g} m and "
            f"{found.best_effort_orientation_error[0]:.3g} rad away: {_row(closest)}"
            f"{found.too_few_joints(WHAT_TO_FREE)}"
        )
    what = f"{'approximation' if near else 'solution'}{'s' if count != 1 else ''}"
    print(
        f"{found.status[0].name}: {count} distinct {what}{_which(found)} in "
        f"{1e3 * timings.total:.2f} ms "
        f"({timings.seeds} seeds, sampler {found.sampler})"
    )


def _which(found: IKSolutions) -> str:
    """Say whether solutions are all there are, and which of them are no full turns of others."""
    known, branches = "all there are" * bool(found.complete[0]), len(found.branches())
    turns = ""
    if branches < found.counts[0]:
        turns = f"{branches} branch{'es' * (branches != 1)} and full turns of these"
    said = ": ".join(filter(None, (known, turns)))
    return f" ({said})" if said else ""


def _table(chain: KinematicChain, found: IKSolutions) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column("#", justify="right")
    for name, prismatic in zip(chain.joint_names, chain.prismatic, strict=True):
        head = f"{escape(name)}\n{'(m)' if prismatic else '(rad)'}"
        table.add_column(head, justify="right", min_width=7, overflow="fold")
    for unit in ("(m)", "(rad)"):
        table.add_column(f"error\n{unit}", justify="right")
    clearance = found.clearance
    if clearance is not None:
        table.add_column("clearance\n(m)", justify="right")
    if found.scores is not None:
        table.add_column("score", justify="right")
    if found.target_of is not None:
        table.add_column("pose", justify="right")
    for i, row in enumerate(found.of(0)[:_ROWS_SHOWN]):
        errors = found.position_error[0, i], found.orientation_error[0, i]
        cells = [f"{error:.0e}" for error in errors]
        if clearance is not None:
            cells.append(f"{clearance[0, i]:.3f}" if np.isfinite(clearance[0, i]) else "-")
        if found.scores is not None:
            cells.append(f"{found.scores[0, i]:.4g}")
        if found.target_of is not None:
            cells.append(str(found.target_of[0, i]))
        table.add_row(str(i + 1), *_row(row).split(), *cells)
    return table


def _row(positions: Sequence[float] | Floats) -> str:
    return " ".join(f"{value:.4f}" for value in positions)
