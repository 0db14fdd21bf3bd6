"""Solutions all over a region, from the branches of many of its poses: surfaces, not curves.

Where more is free than one angle of six joints, or one joint of seven, solutions are sampled
evenly all over the region, more of them than are wanted, and the most diverse are chosen.
"""

from generative_ik_ros._core import SurfaceProblem, pose_sequence
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.region import TaskSpaceRegion
from generative_ik_ros.robot.region_rows import Rotation
from generative_ik_ros.search.branches import Branches, Curves, PackedProblem, Prepared, Where
from generative_ik_ros.space import SearchSpace


class Surfaces(Curves):
    """The closed form of a chain at whatever pose of a region.

    Args:
        branches: That of the chain.
        problem: Chain and tolerances, for poses.
        numbers: See `pose_sequence` of the core.
    """

    most_wanted = 1000

    def __init__(self, branches: Branches, problem: PackedProblem, numbers: Floats):
        """Keep the region beside what is known of the chain."""
        vars(self).update(vars(branches), _last=None)
        self._given = branches, problem, numbers
        self._problem, self._region = problem, numbers
        if not branches.formula:
            # Branches are zeros of a polynomial: a search finds more solutions as soon, and, where
            # the orientation is not free, more evenly.
            self.most_wanted = 300 if numbers[0] == Rotation.FREE else 30

    @classmethod
    def of(
        cls,
        branches: Branches,
        problem: PackedProblem,
        region: TaskSpaceRegion,
        tolerances: tuple[float, float],
        reach: float,
    ) -> "Surfaces | None":
        """Return it; None if the region's bounds are too tangled, see `pose_sequence`."""
        own = isinstance(branches, Curves)
        numbers = pose_sequence(region.packed, *tolerances, reach, own)
        return None if numbers is None else cls(branches, problem, numbers)

    def _new_curve_problem(self, stages: Prepared, space: SearchSpace) -> SurfaceProblem:
        where, distance = self._where(stages, space), stages.distinct_distance
        return SurfaceProblem(self.form, self.parameters, *where, distance, self._region)

    def _where(self, stages: Prepared, space: SearchSpace) -> Where:
        return self._problem, space.box, space.circular, stages.joints
