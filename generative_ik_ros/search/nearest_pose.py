"""Which pose of a call's goal set a configuration is for."""

from generative_ik_ros.request import SolveRequest
from generative_ik_ros.search.stages import Stages
from generative_ik_ros.select.goal_set import Nearest


def nearest_of(stages: Stages, request: SolveRequest) -> Nearest:
    """Return what finds the pose of a request's goal set that a configuration is for."""
    weights = stages.refiner.position_weight, stages.refiner.orientation_weight
    return Nearest(stages.verifier, weights, request.targets)
