"""Sampler, refiner and verifier for several goals, or for regions about targets."""

import math
from collections import OrderedDict
from copy import copy
from typing import TYPE_CHECKING

from generative_ik_ros.refine.goal_refiner import GoalLevenbergMarquardt
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.closures import LARGEST_TOLERANCE
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.robot.region_rows import PackedRegions
from generative_ik_ros.samplers.base import Sampler
from generative_ik_ros.samplers.closed_form import ClosedForm
from generative_ik_ros.samplers.quasi_random import QuasiRandom
from generative_ik_ros.search.branches import Curves
from generative_ik_ros.search.limbs import Limbs
from generative_ik_ros.search.stages import RegionOfTip, Stages, joints_of
from generative_ik_ros.search.surfaces import FreeAxis, Surfaces
from generative_ik_ros.select.verify import GoalVerifier
from generative_ik_ros.space import SearchSpace

if TYPE_CHECKING:
    from generative_ik_ros.robot.kinematic_tree import KinematicTree

_KEPT = 16
"""Regions whose numbers are kept for later calls."""

RegionsOfGoals = tuple[tuple[TaskSpaceRegion, ...], ...]


class GoalStages:
    """What searches for several goals need, whatever the regions of a call.

    Args:
        chain: A tree, or a chain, which is a tree of one tip.
        sampler: Where seeds come from.
        tolerances: [m and rad]; inf leaves positions or orientations of tips free.
        distinct_distance: Solutions with no joint further apart are the same [rad or m].
        whole: The space that is searched unless a seed state says otherwise.
        poses: What searches for poses need, if the chain has one tip.

    Attributes:
        last: The region of the last call, if it had one, and its stages.
    """

    def __init__(
        self,
        chain: "KinematicChain | KinematicTree",
        sampler: Sampler,
        tolerances: tuple[float, float],
        distinct_distance: float,
        whole: SearchSpace,
        poses: Stages | None = None,
    ):
        """Prepare what is the same in all calls."""
        self._tolerances, self._free = _fine(chain, tolerances)
        self._refiner = GoalLevenbergMarquardt(chain, *self._tolerances)
        closures, self._mobility = (), chain.num_joints
        if not isinstance(chain, KinematicChain):
            closures, self._mobility = chain.closures, chain.mobility
        self._closures = [closure.region for closure in closures]
        self._verifier, self._poses = GoalVerifier(chain), poses
        self._sampler, self._whole, self._distinct_distance = sampler, whole, distinct_distance
        self._limbs = self._limbs_of(chain)
        self._kept: OrderedDict[object, Stages] = OrderedDict()
        self.last: tuple[TaskSpaceRegion, Stages] | None = None

    def without_branches(self) -> "GoalStages":
        """Return the same without the use of closed forms."""
        stages = copy(self)
        stages._poses = self._poses and self._poses.without_branches
        stages._limbs, stages._kept, stages.last = None, OrderedDict(), None
        return stages

    def within(self, regions: RegionsOfGoals) -> Stages:
        """Return the stages of a call with (R, G) regions: one for all targets, or for each."""
        key = tuple([tuple([region.key for region in each]) for each in regions])
        found = self._kept.get(key)
        if found is None:
            found = self._kept[key] = self._with(regions)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return found

    def _with(self, regions: RegionsOfGoals) -> Stages:
        if any(self._free):
            regions = tuple([tuple([r.freed(*self._free) for r in each]) for each in regions])
        packed = PackedRegions.of(regions, *self._tolerances, self._closures)
        free = max(self._mobility - packed.held, 0)
        redundant = free > 0
        chain, refiner, numbers = self._refiner.chain, self._refiner.within(packed), packed[:3]
        problem = chain.core.goal_problem(refiner.options, *self._tolerances, *numbers, redundant)
        curves, for_one = self._curves(regions)
        return Stages(
            chain=chain,
            sampler=self._sampler,
            refiner=refiner,
            verifier=self._verifier.within(packed),
            distinct_distance=self._distinct_distance,
            whole=self._whole,
            held=packed.held,
            redundant=redundant,
            problem=problem,
            makes_seeds=isinstance(self._sampler, QuasiRandom),
            joints=joints_of(chain),
            region_dimensions=free * packed.roomy,
            branches=None if packed.bounded.any() or len(regions) != 1 else self._limbs,
            curves=curves,
            for_one=for_one,
            of_tip=self._of_tip(regions),
        )

    def _limbs_of(self, chain: "KinematicChain | KinematicTree") -> Limbs | None:
        """Return the closed forms of a tree's limbs, if the sampler says that they are used."""
        if isinstance(chain, KinematicChain) or chain.is_chain:
            return None
        whole_poses = not any(map(math.isinf, self._tolerances))
        if not (whole_poses and isinstance(self._sampler, ClosedForm)):
            return None
        return Limbs(chain, *self._tolerances, self._distinct_distance)

    def _of_tip(self, regions: RegionsOfGoals) -> RegionOfTip | None:
        """Return the region of the one tip, if it is the same about all targets."""
        if self._poses is None or self._closures or len(regions) != 1:
            return None
        return RegionOfTip(regions[0][0], self._poses.problem)

    def _curves(self, regions: RegionsOfGoals) -> tuple[Curves | None, Surfaces | None]:
        """Return the closed forms of solutions all over a region and of one, if they are fast."""
        poses = self._poses
        branches = poses and (poses.branches or poses.curves)
        if poses is None or not (branches and branches.special) or len(regions) != 1:
            return None, None
        ((region,),) = regions
        reach = poses.chain.reach + self._tolerances[0]
        given = branches, poses, region, self._tolerances, reach
        surfaces, about = Surfaces.of(*given), None
        if poses.branches is not None and branches.formula:
            about = FreeAxis.of(*given)
        return about or surfaces, surfaces


def _fine(
    chain: "KinematicChain | KinematicTree", tolerances: tuple[float, float]
) -> tuple[tuple[float, float], tuple[bool, bool]]:
    """Return tolerances [m and rad] that are fine enough for loops, which are goals, too.

    Returns:
        The tolerances, and whether positions and whether orientations of tips are free.
    """
    if isinstance(chain, KinematicChain) or not chain.closures:
        return tolerances, (False, False)
    position, orientation = tolerances
    fine = min(position, LARGEST_TOLERANCE), min(orientation, LARGEST_TOLERANCE)
    return fine, (math.isinf(position), math.isinf(orientation))
