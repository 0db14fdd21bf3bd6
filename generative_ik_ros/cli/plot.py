"""Pictures of what the verbs find, written to files.

Every function of a picture takes a file, whose suffix chooses the format, and raises
InvalidArgumentError if it cannot be written, MissingDependencyError if matplotlib is missing.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generative_ik_ros.array_types import Floats
from generative_ik_ros.cli.console import check_plot_path
from generative_ik_ros.cli.sampler_figures import SamplerFigures
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.drawing.tips import targets_in_base
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.paths.result import IKPath
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.plots.solutions import solutions_figure
from generative_ik_ros.reach.placement import BasePlacements
from generative_ik_ros.reach.reachability_map import ReachabilityMap
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.solutions import IKSolutions

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True)
class PlottedArms:
    """How many configurations are drawn."""

    arms_of_path: int = 7
    """Configurations of a path that are drawn."""
    arms: int = 6
    """Free configurations that are drawn among obstacles; and as many of others."""


ARMS = PlottedArms()


def plot_solutions(
    chain: KinematicChain,
    positions: Floats,
    targets: Floats,
    file: Path,
    *,
    title: str | None = None,
) -> None:
    """Write `solutions_figure` to a file.

    Targets are (..., 4, 4), of a tree (..., K, 4, 4) as it takes them. The title is by default the
    number of configurations.
    """
    if title is None:
        title = f"{len(positions)} configurations" if len(positions) > 1 else "1 configuration"
    headline = f"{chain.description.name}: {title}"
    frames = _frames(chain, targets, positions[:1])
    _write(solutions_figure(chain, positions, frames, title=headline), file)


def _frames(chain: KinematicChain, targets: Floats, position: Floats) -> Floats:
    """Return (N, 4, 4) targets in the base link, as a configuration (1, n) has the others."""
    every = targets.reshape(-1, len(chain.tip_links), 4, 4)
    return targets_in_base(chain, every, position.repeat(len(every), axis=0)).reshape(-1, 4, 4)


def plot_scene(
    solver: IKSolver, found: IKSolutions, target: Floats, request: dict[str, Any], file: Path
) -> None:
    """Write `scene_figure` of what a solver with a collision model found for a pose to a file.

    The configurations that collide are among those that the same request finds without the model.
    The target is (4, 4), of several tips or a goal set (..., 4, 4) [m]; `request` has the other
    arguments of `solver.solve`.
    """
    from generative_ik_ros.plots.scene import scene_figure

    free, clearance = found.of(0)[: ARMS.arms], found.clearance
    assert clearance is not None  # noqa: S101
    plain = IKSolver(
        solver.chain,
        solver.sampler,
        position_tolerance=solver.position_tolerance,
        orientation_tolerance=solver.orientation_tolerance,
    )
    every = plain.solve(target, **{**request, "scene": None}).of(0)
    colliding = every[solver.collides(every, scene=request["scene"])][: ARMS.arms]
    shown = free if len(free) else found.best_effort[:1]
    headline = f"{solver.chain.description.name}: {found.counts[0]} free configurations"
    if len(colliding):
        headline += "; some that collide in red"
    _write(
        scene_figure(
            solver.chain, request["scene"], free, clearance[0, : len(free)], colliding,
            _frames(solver.chain, target, shown), title=headline,
        ),
        file,
    )  # fmt: skip


def plot_path(
    chain: KinematicChain, found: IKPath, targets: Floats, scene: Scene | None, file: Path
) -> None:
    """Write `path_figure` of a path that reaches some of its poses (B, 4, 4) [m] to a file."""
    from generative_ik_ros.plots.scene import path_figure

    reached = found.num_reached
    title = f"{chain.description.name}: path through {reached} of {len(targets)} poses"
    _write(
        path_figure(
            chain, scene, found.positions[:reached], targets[reached:],
            num_arms=ARMS.arms_of_path, title=title,
        ),
        file,
    )  # fmt: skip


def plot_placement(
    chain: KinematicChain, found: BasePlacements, tasks: Floats, file: Path
) -> None:
    """Write `placement_figure` of bases for tasks (T, 4, 4) [m] to a file."""
    from generative_ik_ros.plots.reach import placement_figure

    title = f"{chain.description.name}: bases for {len(tasks)} poses"
    _write(placement_figure(found, tasks, title=title), file)


def plot_reach(
    chain: KinematicChain, reach: ReachabilityMap, file: Path, *, directions: bool
) -> None:
    """Write `reach_figure` of a map to a file, with arrows for directions of approach or not."""
    from generative_ik_ros.plots.reach import reach_figure

    orientations = reach.orientations.shape[0] * reach.orientations.shape[1]
    title = (
        f"{chain.description.name}: voxels of {100.0 * reach.resolution:g} cm, "
        f"{orientations} orientations in each"
    )
    _write(reach_figure(chain, reach, directions=directions, title=title), file)


def plot_samplers(
    chain: KinematicChain, found: Sequence[SamplerFigures], target: Floats, file: Path
) -> None:
    """Write `samplers_figure` of what samplers make of a pose (4, 4) [m] to a file."""
    from generative_ik_ros.plots.solutions import samplers_figure

    rows = []
    for one in found:
        raw = one.solutions[:0] if one.raw is None else one.raw
        off = f"{1e3 * one.position_error:.3g} mm off" if len(raw) else "no raw samples"
        solved = f"{len(one.solutions)} solutions in {1e3 * one.seconds:.2f} ms"
        rows.append((f"{one.sampler}: {off}", raw, solved, one.solutions))
    title = f"{chain.description.name}: raw samples and solutions of one pose"
    _write(samplers_figure(chain, rows, target, title=title), file)


def _write(figure: "Figure", file: Path) -> None:
    check_plot_path(file)
    try:
        figure.savefig(file, dpi=150)
    except OSError as error:
        raise InvalidArgumentError(f"cannot write '{file}': {error.strerror}") from error
