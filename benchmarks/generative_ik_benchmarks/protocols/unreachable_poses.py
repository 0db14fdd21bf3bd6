"""Poses that a chain cannot reach, and the least error that it can have at each."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

from generative_ik_benchmarks.seeding import SearchBox
from generative_ik_ros.array_types import Floats
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.joints import MovingJoints
from generative_ik_ros.robot.random_poses import random_configurations
from generative_ik_ros.samplers.registry import sampler_class

FAR, JUST, TURNED = "far outside", "just outside", "wrong orientation"
KINDS = (FAR, JUST, TURNED)

_JUST = 0.02
"""So far beyond the boundary [m] lie poses just outside."""
_SEEDS = 8192
"""Seeds of the exhaustive search for a solution of one pose."""
_APPROACHES = 512
"""Seeds that it drives to their local minimum."""
_CLEAR = 1e-2
"""An orientation counts as wrong if nothing comes closer than this weighted error [rad]: a search
that finds nothing is no proof, and poses at the edge are decided by rounding."""
_NOTHING = 1e-4
"""Poses outside come with a proof; should the search still find one [rad], the proof is wrong."""
_CANDIDATES = 40
"""Candidates a pose wanted before a kind is given up."""


@dataclass(frozen=True)
class UnreachablePoses:
    """Poses of one kind.

    Attributes:
        targets: (P, 4, 4) tip in base [m].
        least: (P,) least weighted error that the exhaustive search found.
        shortage: Why there are fewer than wanted; empty if there are not.
    """

    targets: Floats
    least: Floats
    shortage: str

    def weighted(self, chain: MovingJoints, distance: Floats, angle: Floats) -> Floats:
        """Return errors (P,) in which the characteristic length counts like 1 rad [rad]."""
        return np.hypot(distance / chain.characteristic_length, angle)


def unreachable_poses(chain: KinematicChain, kind: str, count: int, seed: int) -> UnreachablePoses:
    """Make poses that a chain cannot reach.

    - Far outside: at two to three times the largest distance that the tip can have from the first
      joint, in any orientation.
    - Just outside: 2 cm beyond a point where the tip is furthest in some direction. The plane
      across that direction has all that is reachable on its other side.
    - Wrong orientation: at a position that a configuration reaches, in an orientation drawn
      anew, kept if an exhaustive search finds no solution and nothing near one. For an arm that
      has every orientation wherever it reaches there are none.
    """
    rng = np.random.default_rng((seed, KINDS.index(kind)))
    search = _Exhaustive(chain, seed)
    targets, least = [], []
    for _ in range(count if kind != TURNED else _CANDIDATES * count):
        if len(targets) == count:
            break
        target = _candidate(chain, kind, rng)
        error = search.least_error(target, thorough=kind != TURNED)
        if error < (_CLEAR if kind == TURNED else _NOTHING):
            continue
        targets.append(target)
        # The quick search has shown that there is no solution; this is how near one comes.
        least.append(min(error, search.least_error(target, thorough=True)))
    few = len(targets) < count
    shortage = f"only {len(targets)} poses of this kind were found" if few else ""
    return UnreachablePoses(
        np.array(targets).reshape(-1, 4, 4), np.array(least, np.float64), shortage
    )


def _candidate(chain: KinematicChain, kind: str, rng: np.random.Generator) -> Floats:
    """Return a pose (4, 4) that is or may be unreachable."""
    direction = rng.normal(size=3)
    direction /= np.linalg.norm(direction)
    drawn = random_configurations(chain, 20_000 if kind == JUST else 1, int(rng.integers(2**31)))
    reached = chain.forward(drawn)
    if kind == JUST:
        best = drawn[np.argmax(reached[:, :3, 3] @ direction)]
        target = chain.forward(_furthest(chain, best, direction))
        target[:3, 3] += _JUST * direction
        return target
    target = reached[0]
    target[:3, :3] = Rotation.random(rng=rng).as_matrix()
    if kind == FAR:
        reach = chain.reach if np.isfinite(chain.reach) else 10.0
        target[:3, 3] = chain.joint_origins[0, :3, 3] + rng.uniform(2.0, 3.0) * reach * direction
    return target


def _furthest(chain: KinematicChain, start: Floats, direction: Floats) -> Floats:
    """Return the configuration (n,) whose tip is furthest in a direction, joint by joint.

    As one joint moves the tip follows a circle or a line, so the best value of one joint is known
    in closed form from three of its values; a few dozen sweeps converge.
    """
    q = start.copy()
    box = SearchBox.of(chain)
    for _ in range(60):
        before = q.copy()
        for j in range(len(q)):
            choices = [box.lower[j], box.upper[j], q[j]]
            if not chain.prismatic[j]:
                choices += _crests(chain, q, j, direction)
            some = np.tile(q, (len(choices), 1))
            some[:, j] = np.clip(choices, box.lower[j], box.upper[j])
            q = some[np.argmax(chain.forward(some)[:, :3, 3] @ direction)]
        if np.abs(q - before).max() < 1e-12:
            break
    return q


def _crests(chain: KinematicChain, q: Floats, joint: int, direction: Floats) -> list[float]:
    """Return where the tip's height over one joint's turn, a sine wave, has its crests."""
    some = np.tile(q, (3, 1))
    some[:, joint] = (0.0, np.pi / 2.0, np.pi)
    at_0, at_90, at_180 = chain.forward(some)[:, :3, 3] @ direction
    middle = (at_0 + at_180) / 2.0
    crest = float(np.arctan2(at_90 - middle, (at_0 - at_180) / 2.0))
    return [crest + 2.0 * np.pi * turn for turn in (-1, 0, 1)]


class _Exhaustive:
    """Looks for the closest configuration to a pose with many times the solver's effort."""

    def __init__(self, chain: KinematicChain, seed: int):
        self._chain, self._box = chain, SearchBox.of(chain)
        self._sampler = sampler_class("quasi_random")(chain)
        self._refiner = LevenbergMarquardt(chain, 1e-5, 1e-5)
        self._seed = seed

    def least_error(self, target: Floats, *, thorough: bool) -> float:
        """Return the least weighted error found for a pose (4, 4); 0 for a solution."""
        count = _APPROACHES if thorough else _SEEDS
        # Other seeds than those of the solver that is measured.
        request = self._box.seed_request(target[None], count, self._seed + 1000)
        seeds = self._sampler.propose(request)
        task = self._box.refine_task(target[None], seeds, thorough=thorough)
        refinement = self._refiner.refine(task)
        if refinement.converged.any():
            return 0.0
        length = self._chain.characteristic_length
        errors = np.hypot(refinement.position_error / length, refinement.orientation_error)
        return float(errors.min())
