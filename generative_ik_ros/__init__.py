"""Many exact, diverse inverse kinematics solutions for any robot arm.

Names are imported on first use, so that `import generative_ik_ros` stays cheap: generated
interfaces share this package, and every ROS tool that touches them runs this file.
"""

from importlib import import_module
from pkgutil import extend_path
from typing import TYPE_CHECKING

__version__ = "0.1.0"
# The generated msg and srv are in the install folder, while our modules may be in a checkout:
# whichever is found first, the other is searched as well.
__path__ = extend_path(__path__, __name__)

if TYPE_CHECKING:
    from generative_ik_ros.collision.model import CollisionModel as CollisionModel
    from generative_ik_ros.collision.scene import Scene as Scene
    from generative_ik_ros.errors import GenerativeIKError as GenerativeIKError
    from generative_ik_ros.errors import GenerativeIKWarning as GenerativeIKWarning
    from generative_ik_ros.paths.result import IKPath as IKPath
    from generative_ik_ros.pipeline import IKSolver as IKSolver
    from generative_ik_ros.reach.placement import place_base as place_base
    from generative_ik_ros.reach.reachability_map import ReachabilityMap as ReachabilityMap
    from generative_ik_ros.robot.chain import KinematicChain as KinematicChain
    from generative_ik_ros.robot.kinematic_tree import KinematicTree as KinematicTree
    from generative_ik_ros.robot.known import load_robot as load_robot
    from generative_ik_ros.robot.poses import pose_matrix as pose_matrix
    from generative_ik_ros.robot.region import TaskSpaceRegion as TaskSpaceRegion
    from generative_ik_ros.solutions import IKSolutions as IKSolutions
    from generative_ik_ros.solutions import SolveStatus as SolveStatus
    from generative_ik_ros.solutions import Timings as Timings
    from generative_ik_ros.tracking.step import TrackerStep as TrackerStep
    from generative_ik_ros.tracking.step import TrackingStatus as TrackingStatus
    from generative_ik_ros.tracking.teleoperation import Clutch as Clutch
    from generative_ik_ros.tracking.teleoperation import Jog as Jog
    from generative_ik_ros.tracking.teleoperation import PoseFilter as PoseFilter
    from generative_ik_ros.tracking.tracker import Tracker as Tracker
    from generative_ik_ros.trajectories.result import Trajectory as Trajectory
    from generative_ik_ros.trajectories.timing import time_path as time_path

_HOMES = {
    "Clutch": "generative_ik_ros.tracking.teleoperation",
    "CollisionModel": "generative_ik_ros.collision.model",
    "GenerativeIKError": "generative_ik_ros.errors",
    "GenerativeIKWarning": "generative_ik_ros.errors",
    "IKPath": "generative_ik_ros.paths.result",
    "IKSolutions": "generative_ik_ros.solutions",
    "IKSolver": "generative_ik_ros.pipeline",
    "Jog": "generative_ik_ros.tracking.teleoperation",
    "KinematicChain": "generative_ik_ros.robot.chain",
    "KinematicTree": "generative_ik_ros.robot.kinematic_tree",
    "PoseFilter": "generative_ik_ros.tracking.teleoperation",
    "ReachabilityMap": "generative_ik_ros.reach.reachability_map",
    "Scene": "generative_ik_ros.collision.scene",
    "SolveStatus": "generative_ik_ros.solutions",
    "TaskSpaceRegion": "generative_ik_ros.robot.region",
    "Timings": "generative_ik_ros.solutions",
    "Tracker": "generative_ik_ros.tracking.tracker",
    "TrackerStep": "generative_ik_ros.tracking.step",
    "TrackingStatus": "generative_ik_ros.tracking.step",
    "Trajectory": "generative_ik_ros.trajectories.result",
    "load_robot": "generative_ik_ros.robot.known",
    "place_base": "generative_ik_ros.reach.placement",
    "pose_matrix": "generative_ik_ros.robot.poses",
    "time_path": "generative_ik_ros.trajectories.timing",
}
__all__ = ["__version__", *_HOMES]  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> object:
    """Import a public name from its home the first time it is used (PEP 562)."""
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOMES})
