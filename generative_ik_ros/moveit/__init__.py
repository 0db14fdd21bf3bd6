"""MoveIt's kinematics solver interface (kinematics::KinematicsBase) in Python, without ROS.

For moveit_py and other Python code that uses MoveIt's conventions: seed states, consistency
limits, a callback that accepts or rejects candidates, MoveIt's error codes, and many solutions.
"""

from generative_ik_ros.moveit.joint_limits import read_joint_limits
from generative_ik_ros.moveit.kinematics import GenerativeIK
from generative_ik_ros.moveit.results import ErrorCode, IKResult, ManyIKResult

__all__ = ["ErrorCode", "GenerativeIK", "IKResult", "ManyIKResult", "read_joint_limits"]
