"""The contract of MoveIt's kinematics solvers in, our pipeline's answers out: in process, no ROS.

For moveit_py and any Python code that plans the way MoveIt does: seed states, consistency limits,
a callback that accepts or refuses candidates, MoveIt's error codes, and many solutions.
"""

from generative_ik_ros.moveit.kinematics import GenerativeIK
from generative_ik_ros.moveit.results import ErrorCode, IKResult, ManyIKResult

__all__ = ["ErrorCode", "GenerativeIK", "IKResult", "ManyIKResult"]
