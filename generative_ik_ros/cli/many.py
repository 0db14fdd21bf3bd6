"""The solutions of many poses: solved in pieces, and written."""

import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.array_types import Floats
from generative_ik_ros.cli.console import progress
from generative_ik_ros.cli.tables import Rows, interrupts_held, open_table
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.solutions import IKSolutions, SolveStatus


@dataclass(frozen=True)
class PieceSize:
    """How large pieces of many poses are: what an interrupt can lose."""

    poses: int = 1000
    """Poses at most."""
    numbers: int = 1_000_000
    """Joint positions at most."""


PIECE = PieceSize()
_WITH_ROWS = SolveStatus.SOLVED, SolveStatus.PARTIAL, SolveStatus.APPROXIMATE


def solve_many(
    solver: IKSolver, poses: Floats, request: dict[str, Any], file: Path | None, *, as_json: bool
) -> bool:
    """Solve (B, 4, 4) poses, write a row for each solution, and a line of summary on stderr.

    Poses that are solved when an interrupt comes are written. The arguments of `IKSolver.solve`
    are in `request`; a timeout is for all poses together. `file` and `as_json` are those of
    `open_table`. Returns whether any pose was solved or approximated, or there was none to solve.
    """
    start, timeout = time.perf_counter(), request.pop("timeout")

    def solve(first: int, last: int, left: float | None) -> IKSolutions:
        return solver.solve(poses[first:last], timeout=left, **request)

    # Checks the arguments before a file is opened.
    checked = solve(0, 0, timeout).clearance is not None
    size = max(
        1, min(PIECE.poses, PIECE.numbers // (request["num_solutions"] * solver.chain.num_joints))
    )
    outcomes: Counter[SolveStatus] = Counter()
    blocked = 0
    opened = open_table(file, solver.chain.names, as_json=as_json, collisions=checked)
    try:
        with opened as table, progress() as shown:
            for first in shown.track(range(0, len(poses), size), description="solving"):
                left = timeout and max(1e-9, start + timeout - time.perf_counter())
                found = solve(first, first + size, left)
                with interrupts_held():
                    table.add(_rows(found, first))
                    outcomes.update(found.status)
                    blocked += _num_blocked(found)
    except KeyboardInterrupt:
        _summarise(outcomes, blocked, len(poses), start, file)
        raise
    _summarise(outcomes, blocked, len(poses), start, file)
    solved = sum(outcomes[one] for one in _WITH_ROWS)
    return solved > 0 or not len(poses)


def _rows(found: IKSolutions, first: int) -> Rows:
    """Return a row for each solution, and one for each pose without any."""
    shown = np.maximum(found.counts, 1)
    some = np.arange(found.positions.shape[1]) < shown[:, None]
    names = np.array(["", *(status.name for status in SolveStatus)])
    return Rows(
        pose=np.repeat(np.arange(first, first + len(shown)), shown),
        status=np.repeat(names[np.array(found.status, dtype=int)], shown),
        position_error=found.position_error[some],
        orientation_error=found.orientation_error[some],
        positions=found.positions[some],
        clearance=None if found.clearance is None else found.clearance[some],
        blocked_by=None if found.blocked_by is None else np.repeat(_blocks(found), shown),
    )


def _blocks(found: IKSolutions) -> NDArray[np.str_]:
    """Return what collides where a pose is reached in collision only, and "" for others (B,)."""
    pairs = found.blocked_by or ()
    return np.array(["" if pair is None else " with ".join(pair) for pair in pairs], dtype=str)


def _num_blocked(found: IKSolutions) -> int:
    """Count the poses that the search found to be reached in collision only."""
    pairs = zip(found.status, found.blocked_by or (), strict=False)
    return sum(status == SolveStatus.NO_SOLUTION and pair is not None for status, pair in pairs)


def _summarise(
    outcomes: Counter[SolveStatus], blocked: int, total: int, start: float, file: Path | None
) -> None:
    """Print how many poses were solved since a reading of `time.perf_counter` [s].

    `blocked` of those without a solution are reached in collision only.
    """
    done, partial = sum(outcomes.values()), outcomes[SolveStatus.PARTIAL]
    parts = [f"{outcomes[SolveStatus.SOLVED] + partial} solved"]
    if partial:
        parts[0] += f" ({partial} with fewer solutions than asked for)"
    if blocked:
        parts.append(f"{blocked} in collision only")
    if outcomes[SolveStatus.APPROXIMATE]:
        parts.append(f"{outcomes[SolveStatus.APPROXIMATE]} approximated")
    parts.append(f"{outcomes[SolveStatus.NO_SOLUTION] - blocked} unreachable")
    if outcomes[SolveStatus.TIMED_OUT]:
        parts.append(f"{outcomes[SolveStatus.TIMED_OUT]} timed out")
    which = f"{total} poses" if done == total else f"{done} of {total} poses"
    where = "" if file is None else f" -> {file}"
    spent = time.perf_counter() - start
    print(f"{which}: {', '.join(parts)} in {spent:.2f} s{where}", file=sys.stderr)
