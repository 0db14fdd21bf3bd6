"""Targets come in, configurations that reach them roughly, uniform among all that do, go out."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.evaluation.poses import finite_limits
from generative_ik_ros.evaluation.reference.cache import Arrays, cached, reference_folder
from generative_ik_ros.evaluation.reference.rejection_kernel import RejectionKernel
from generative_ik_ros.evaluation.verification import rotation_angle
from generative_ik_ros.parallel import for_each
from generative_ik_ros.robot.chain import KinematicChain

_BATCH = 65536
"""Draws that a thread has in memory at a time."""
_BATCHES = 16
"""Batches between two looks at whether every target has enough."""


@dataclass(frozen=True)
class RejectionSettings:
    """What is accepted and how many are wanted.

    Attributes:
        count: Configurations wanted for each target; GGIK's 50 (CoRL table 1).
        position_tolerance: GGIK's 8 cm [m].
        orientation_tolerance: GGIK's 8 degrees [rad].
        max_draws: Stop after so many draws, whatever was found.
        random_seed: Of the draws.
    """

    count: int = 50
    position_tolerance: float = 0.08
    orientation_tolerance: float = np.deg2rad(8.0)
    max_draws: int = 10**9
    random_seed: int = 0

    def __post_init__(self) -> None:
        """Refuse settings that have no meaning.

        Raises:
            InvalidArgumentError: A number is not above 0.
        """
        numbers = (
            self.count, self.position_tolerance, self.orientation_tolerance, self.max_draws
        )  # fmt: skip
        if not all(number > 0 for number in numbers):
            raise InvalidArgumentError("tolerances, count and max_draws must be above 0")


@dataclass(frozen=True)
class RejectionSet:
    """The accepted configurations of one target.

    Attributes:
        positions: (k, n), k at most the count wanted, in the order drawn [rad or m].
        draws: Draws that the targets shared.
        complete: Whether there are as many as wanted.
    """

    positions: NDArray[np.float64]
    draws: int
    complete: bool


def rejection_sets(
    chain: KinematicChain,
    targets: NDArray[np.float64],
    settings: RejectionSettings | None = None,
    *,
    folder: Path | None | str = "default",
    on_draws: Callable[[int], None] = lambda draws: None,
) -> tuple[RejectionSet, ...]:
    """Draw configurations until enough of them reach each target within the tolerances.

    Draws are uniform in the joint limits, of which joints that can go round use one turn, so that
    the accepted ones are uniform over all configurations within the tolerances: the papers'
    ground truth. The targets share the draws. With GGIK's tolerances one draw in some millions is
    accepted; `RejectionKernel` knows how to do with a twentieth of that. The result is kept on
    disk.

    Args:
        chain: The chain.
        targets: (T, 4, 4) tip in base [m].
        settings: What is accepted; GGIK's by default.
        folder: Of the cache; "default" is `reference_folder()`, None keeps nothing.
        on_draws: Called with the number of draws so far, for a progress bar.
    """
    settings = settings or RejectionSettings()
    where = reference_folder() if folder == "default" else Path(folder) if folder else None
    targets = np.ascontiguousarray(targets, np.float64).reshape(-1, 4, 4)
    arrays = cached(
        "rejection",
        chain,
        targets,
        asdict(settings),
        lambda: _draw(chain, targets, settings, on_draws),
        lambda arrays: _valid(arrays, chain, targets, settings),
        where,
    )
    ends = np.cumsum(arrays["counts"])
    return tuple(
        RejectionSet(
            arrays["positions"][end - count : end],
            int(arrays["draws"]),
            int(count) == settings.count,
        )
        for end, count in zip(ends, arrays["counts"], strict=True)
    )


def _draw(
    chain: KinematicChain,
    targets: NDArray[np.float64],
    settings: RejectionSettings,
    on_draws: Callable[[int], None],
) -> Arrays:
    kernel = RejectionKernel(
        chain, targets, settings.position_tolerance, settings.orientation_tolerance
    )
    found: list[list[NDArray[np.float64]]] = [[] for _ in targets]
    counts = np.zeros(len(targets), np.int64)
    root = np.random.SeedSequence(settings.random_seed)
    draws = 0
    while (counts < settings.count).any() and draws < settings.max_draws:
        seeds = root.spawn(_BATCHES)
        hits: list[tuple[NDArray[np.float64], NDArray[np.int64]] | None] = [None] * _BATCHES

        def work(i: int, seeds=seeds, hits=hits) -> None:  # noqa: ANN001
            hits[i] = kernel.draw(np.random.default_rng(seeds[i]), _BATCH)

        for_each(work, range(_BATCHES), math.inf)
        for hit in hits:
            if hit is None:
                continue
            for positions, target in zip(*hit, strict=True):
                if counts[target] < settings.count:
                    found[target].append(positions)
                    counts[target] += 1
        draws += _BATCHES * _BATCH
        on_draws(draws)
    joints = chain.num_joints
    rows = [np.array(each).reshape(-1, joints) for each in found]
    return {
        "positions": np.concatenate([np.empty((0, joints)), *rows]),
        "counts": counts,
        "draws": np.array(draws, np.int64),
    }


def _valid(
    arrays: Arrays,
    chain: KinematicChain,
    targets: NDArray[np.float64],
    settings: RejectionSettings,
) -> bool:
    """Say whether arrays from a file are within the tolerances and the limits."""
    if set(arrays) != {"positions", "counts", "draws"}:
        return False
    positions, counts = arrays["positions"], arrays["counts"]
    if counts.shape != (len(targets),) or counts.dtype.kind != "i" or (counts < 0).any():
        return False
    if positions.shape != (counts.sum(), chain.num_joints) or positions.dtype != np.float64:
        return False
    reached, wanted = chain.forward(positions), np.repeat(targets, counts, axis=0)
    distance = np.linalg.norm(reached[:, :3, 3] - wanted[:, :3, 3], axis=1)
    near = (distance <= settings.position_tolerance + 1e-9) & (
        rotation_angle(reached, wanted) <= settings.orientation_tolerance + 1e-9
    )
    lower, upper = finite_limits(chain)
    # The first joint may be brought in by a whole turn, which rounds.
    inside = ((positions >= lower - 1e-12) & (positions <= upper + 1e-12)).all(axis=1)
    return bool((near & inside).all())
