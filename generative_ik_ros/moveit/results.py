"""What an IK query found, and MoveIt's number for how it ended."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray


class ErrorCode(IntEnum):
    """Those values of moveit_msgs/MoveItErrorCodes that an IK query can end with."""

    SUCCESS = 1
    FAILURE = 99999
    TIMED_OUT = -6
    INVALID_GROUP_NAME = -15
    INVALID_GOAL_CONSTRAINTS = -16
    INVALID_ROBOT_STATE = -17
    INVALID_LINK_NAME = -18
    FRAME_TRANSFORM_FAILURE = -21
    COLLISION_CHECKING_UNAVAILABLE = -22
    NO_IK_SOLUTION = -31


@dataclass(frozen=True, eq=False)
class IKResult:
    """The outcome of a query for one solution; true in a condition where it succeeded.

    Attributes:
        error_code: How the query ended.
        solution: (G,) positions of the group's joints [rad or m], None where there is none.
        position_error: Distance of the tip from the pose [m]; NaN without a solution.
        orientation_error: Angle between tip and pose [rad]; NaN without a solution.
        approximate: Whether the solution is the closest approach to a pose out of reach.
        candidates: How many solutions were looked at before the query ended.
        message: Why there is no solution; empty where there is one.
    """

    error_code: ErrorCode
    solution: NDArray[np.float64] | None
    position_error: float
    orientation_error: float
    approximate: bool
    candidates: int
    message: str

    def __bool__(self) -> bool:
        return self.error_code is ErrorCode.SUCCESS


@dataclass(frozen=True, eq=False)
class ManyIKResult:
    """The outcome of a query for many solutions; true in a condition where there is at least one.

    Attributes:
        error_code: How the query ended; SUCCESS with at least one solution.
        message: Why there is no solution; empty where there is one.
        solutions: (K, G) distinct positions of the group's joints [rad or m], nearest to the
            seed state first.
        position_error: (K,) distances of the tip from the pose [m].
        orientation_error: (K,) angles between tip and pose [rad].
    """

    error_code: ErrorCode
    message: str
    solutions: NDArray[np.float64]
    position_error: NDArray[np.float64]
    orientation_error: NDArray[np.float64]

    def __bool__(self) -> bool:
        return self.error_code is ErrorCode.SUCCESS
