"""Tables of goals among obstacles, and of batches by cuRobo's protocol."""

from collections.abc import Mapping, Sequence

from generative_ik_benchmarks.protocol import Listing, text_listing
from generative_ik_benchmarks.protocols.collision_batches import BatchFigures, published
from generative_ik_benchmarks.protocols.collision_goals import FILTERED, OURS, GoalFigures
from generative_ik_benchmarks.text import number, percent, spread


def goals_listing(figures: Mapping[str, Sequence[GoalFigures]], peer: str) -> Listing:
    """Show a row a scenario of each chain.

    Args:
        figures: Those of each chain.
        peer: Whose random restarts stand beside ours.
    """
    rows = []
    for chain, own in figures.items():
        by = {(row.scenario, row.solver): row for row in own}
        for scenario in dict.fromkeys(row.scenario for row in own):
            ours, cells = by[scenario, OURS], []
            for solver in (FILTERED, peer):
                other = by.get((scenario, solver))
                cells += [_times(other), spread(other.ratio, digits=2), percent(other.solved)] if (
                    other
                ) else 3 * ["-"]  # fmt: skip
            rows.append([
                chain, scenario, str(ours.goals), percent(ours.solved), _times(ours),
                number(1e3 * (ours.again or 0.0)),
                f"{number(1e3 * (ours.many or 0.0))} ({ours.found:.1f})",
                number(1e3 * (ours.prepare or 0.0)),
                f"{ours.wrong} of {ours.returned} ({ours.wrong_as_imported})", *cells,
            ])  # fmt: skip
    short = peer.partition(",")[0]
    heads = [
        "chain", "scenario", "goals", "solved %", "first: ms", "again: ms", "many: ms (found)",
        "scene: ms", "colliding", "filtered: ms", "times ours", "solved %", 
        f"{short}: ms", "times ours", "solved %",
    ]  # fmt: skip
    heading = (
        "Time to the first free solution, median, mean / 99th percentile, and over ours goal by "
        "goal, median (quartiles). again: of the same call once more, median. many: for 20. "
        "scene: what the first call among new obstacles takes longer. colliding: returned "
        "configurations that coal finds colliding by the files' own triangles (in brackets: as "
        "pinocchio imports them). filtered: ours without collision model, checked by coal "
        f"afterwards. {short}: from random configurations until coal finds a solution free, "
        "1 s at most."
    )
    return text_listing(heading, heads, rows)


def _times(row: GoalFigures) -> str:
    return f"{number(1e3 * row.median)}, {number(1e3 * row.mean)} / {number(1e3 * row.p99)}"


def batches_listing(figures: Mapping[str, Sequence[BatchFigures]]) -> Listing:
    """Show the batches of some of `CUROBO_ROBOTS`, those published beside ours."""
    rows = [
        [
            robot,
            row.solver,
            "yes" if row.collisions else "no",
            percent(row.solved),
            percent(row.near),
            f"{1e3 * row.mean:.2f}",
            "-" if row.best is None else f"{1e3 * row.best:.2f}",
            number(1e6 * row.position_p90, 2),
            number(1e6 * row.orientation_p90, 2),
            "-" if row.colliding is None else str(row.colliding),
        ]
        for robot, own in figures.items()
        for row in sorted((*own, *published(robot)), key=lambda row: row.collisions)
    ]
    heads = [
        "robot", "solver", "free", "exact %", "near %", "ms a batch", "best", "p90 um", "p90 urad",
        "colliding",
    ]  # fmt: skip
    heading = (
        "cuRobo's protocol: its robots and spheres above a table; 100 poses of free "
        "configurations a batch, one solution each, mean and best of five batches. free: whether "
        "solutions have to be. exact: within 1e-5 m and 1e-5 rad, near: within 5 mm and 0.05 rad, "
        "which is success in cuRobo's benchmark. p90: of the errors, failures included. "
        "restarts: others, pose after pose on the first of a batch, their mean time times the "
        "poses of a batch. published: by cuRobo's authors."
    )
    return text_listing(heading, heads, rows)
