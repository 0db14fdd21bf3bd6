"""Motions that targets drive, without the node around them."""

import time
from types import SimpleNamespace as Stub

import numpy as np
import rclpy
from geometry_msgs.msg import Pose, PoseArray

from generative_ik_ros import IKSolver
from generative_ik_ros.ros.parameters import Settings
from generative_ik_ros.ros.servo import Servo
from generative_ik_ros.ros.servo_motion import Aim, Motion
from generative_ik_ros.ros.solvers import RobotSolvers

START = np.array([0.0, -0.5, 0.0, -2.0, 0.0, 1.6, 0.7])


def test_the_arm_brakes_while_numbers_are_too_large_to_follow(panda):
    """A message may have any number; joints neither stop dead nor stay behind for good."""
    limit, period = 8.0, 0.002
    tracker = IKSolver(panda).track(START, period, acceleration_limits=limit)
    motion = Motion(tracker, 50.0)
    steady, most = np.array([0.1, 0.0, 0.0, 0.0, 0.0, 0.0]), np.full(6, 1.7e308)
    steps = [motion.follow(Aim(0.0, twist=steady)) for _ in range(200)]
    assert np.abs(steps[-1].velocities).max() > 0.05
    for sign in (1.0, -1.0) * 100:
        steps.append(motion.follow(Aim(0.0, twist=sign * most)))
    assert motion.at_rest
    far = panda.forward(START)
    far[:3, 3] = 1.7e308, -1.7e308, 0.0
    steps.append(motion.follow(Aim(0.0, pose_in_base=far)))
    steps += [motion.follow(Aim(0.0, twist=steady)) for _ in range(200)]
    assert np.abs(steps[-1].velocities).max() > 0.05
    velocities = np.array([step.velocities for step in steps])
    assert np.abs(np.diff(velocities, axis=0)).max() <= limit * period * (1.0 + 1e-9)


def test_what_was_dragged_before_the_servo_was_switched_on_is_not_followed(ros, panda_urdf):
    """As it is switched off, a drag may come that the thread does not take any more."""
    robot = RobotSolvers(panda_urdf, "", "panda_hand_tcp", "cpu")
    settings = Settings(servo=True, servo_handle=True)
    served = Stub(settings=settings, current=lambda: (robot, settings))
    node, lines = rclpy.create_node("servo"), []
    node.get_logger = lambda: Stub(warning=lines.append, error=lines.append)
    collisions = Stub(surroundings=Stub(followed=None))
    servo = Servo(node, served, Stub(frame_in_base=lambda *_: None), collisions)
    drag = PoseArray(poses=[Pose()])
    servo.drag(drag, ())
    (thread,) = servo.start(1)
    time.sleep(0.3)
    assert not lines
    # It would have said what it says of the next one.
    end = time.monotonic() + 20.0
    while not lines:
        assert time.monotonic() < end
        servo.drag(drag, ())
        time.sleep(0.01)
    assert "nothing is commanded before it is known where the arm is" in lines[0]
    servo.stop()
    thread.join(20.0)
    assert not thread.is_alive()
    node.destroy_node()
