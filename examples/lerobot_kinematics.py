"""A drop-in for LeRobot's `RobotKinematics`: lerobot_kinematics.py [URDF FRAME]."""

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros import IKSolver, KinematicChain


class RobotKinematics:
    """Kinematics as LeRobot has it, whose `inverse_kinematics` goes all the way in one call."""

    def __init__(
        self, urdf_path: str, target_frame_name: str = "gripper_frame_link",
        joint_names: list[str] | None = None,
    ) -> None:  # fmt: skip
        """Build the chain to a frame; joint_names says what the arrays of joints hold."""
        self.chain = KinematicChain.from_urdf(urdf_path, tip_link=target_frame_name)
        self.joint_names = list(joint_names or self.chain.joint_names)
        self._at = [self.joint_names.index(name) for name in self.chain.joint_names]
        start = np.clip(np.zeros(self.chain.num_joints), self.chain.lower, self.chain.upper)
        self._trackers = [  # for pose and position; a step turns joints by up to 17 deg
            IKSolver(self.chain, orientation_tolerance=tolerance).track(
                start, 0.1, velocity_limits=3.0, acceleration_limits=30.0)
            for tolerance in (1e-5, np.inf)
        ]  # fmt: skip

    def forward_kinematics(self, joint_pos_deg: NDArray) -> NDArray:
        """Return the frame's pose (4, 4) [m]."""
        return self.chain.forward(np.deg2rad(np.asarray(joint_pos_deg, float)[self._at]))

    def inverse_kinematics(
        self, current_joint_pos: NDArray, desired_ee_pose: NDArray,
        position_weight: float = 1.0, orientation_weight: float = 0.01,
    ) -> NDArray:  # fmt: skip
        """Return joints near the current ones; the position comes first on arms of five joints."""
        if not position_weight > 0.0 <= orientation_weight:
            raise ValueError("position_weight must be above 0, orientation_weight not below")
        result = np.array(current_joint_pos, float)  # a gripper stays as it is
        tracker = self._trackers[int(orientation_weight == 0.0)]
        tracker.reset(np.deg2rad(result[self._at]).clip(self.chain.lower, self.chain.upper))
        for _ in range(100):
            if np.abs(tracker.step(desired_ee_pose).velocities).max() < 1e-7:
                break
        result[self._at] = np.rad2deg(tracker.last.positions)
        return result


if __name__ == "__main__":
    urdf, frame = sys.argv[1:] or (f"{Path(__file__).parent}/my_arm.urdf", "tool")
    arm = RobotKinematics(urdf, frame)
    joints = np.full(len(arm.joint_names), 20.0)
    for _ in range(50):  # down a line
        goal = arm.forward_kinematics(joints)
        goal[2, 3] -= 0.002
        joints = arm.inverse_kinematics(joints, goal)
    print("down by 0.1 m:", joints.round(1))
