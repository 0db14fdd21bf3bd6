"""Results of IK queries and MoveIt's error codes."""

from dataclasses import dataclass
from enum import IntEnum

from generative_ik_ros.array_types import Floats


class ErrorCode(IntEnum):
    """The values of moveit_msgs/MoveItErrorCodes that an IK query can return."""

    SUCCESS = 1
    FAILURE = 99999
    TIMED_OUT = -6
    INVALID_GROUP_NAME = -15
    INVALID_GOAL_CONSTRAINTS = -16
    INVALID_ROBOT_STATE = -17
    INVALID_LINK_NAME = -18
    FRAME_TRANSFORM_FAILURE = -21
    NO_IK_SOLUTION = -31


@dataclass(frozen=True, eq=False)
class IKResult:
    """The result of a query for one solution; true if it succeeded.

    Attributes:
        error_code: MoveIt's error code.
        solution: (G,) positions of the group's joints [rad or m]; None if there is no solution.
        position_error: Distance of the tip from the pose [m]; NaN without a solution.
        orientation_error: Angle between tip and pose [rad]; NaN without a solution.
        approximate: Whether the solution is the closest configuration to a pose out of reach.
        candidates: Number of solutions tested before the query ended.
        message: Why there is no solution; empty if there is one.
    """

    error_code: ErrorCode
    solution: Floats | None
    position_error: float
    orientation_error: float
    approximate: bool
    candidates: int
    message: str

    def __bool__(self) -> bool:
        return self.error_code is ErrorCode.SUCCESS


@dataclass(frozen=True, eq=False)
class ManyIKResult:
    """The result of a query for many solutions; true if there is at least one.

    Attributes:
        error_code: MoveIt's error code; SUCCESS with at least one solution.
        message: Why there is no solution; empty if there is one.
        solutions: (K, G) distinct positions of the group's joints [rad or m], nearest to the
            seed state first.
        position_error: (K,) distances of the tip from the pose [m].
        orientation_error: (K,) angles between tip and pose [rad].
    """

    error_code: ErrorCode
    message: str
    solutions: Floats
    position_error: Floats
    orientation_error: Floats

    def __bool__(self) -> bool:
        return self.error_code is ErrorCode.SUCCESS
