"""The interactive target: the protocol between RViz and the node."""

import time

import numpy as np
import pytest
from ik_client import request
from rviz_display import shown
from rviz_side import RVizSide
from visualization_msgs.msg import InteractiveMarkerControl, InteractiveMarkerFeedback

from generative_ik_ros.ros.conversions import poses_to_transforms, transforms_to_poses


@pytest.fixture(scope="module")
def rviz(panda_client):
    return RVizSide(panda_client)


def test_there_is_a_reachable_target_with_arms_from_the_start(panda, panda_client, rviz):
    (marker,) = rviz.fetch().markers
    assert marker.name == "target" and marker.header.frame_id == panda.base_link
    assert 0.05 <= marker.scale <= 0.4
    modes = [control.interaction_mode for control in marker.controls]
    assert modes.count(InteractiveMarkerControl.MOVE_AXIS) == 3
    assert modes.count(InteractiveMarkerControl.ROTATE_AXIS) == 3
    assert modes.count(InteractiveMarkerControl.MOVE_3D) == 1
    # RViz moves along and turns about the x axis of a control's orientation.
    for control in marker.controls[1:]:
        turned = np.zeros(4)
        turned[:] = (
            control.orientation.w, control.orientation.x,
            control.orientation.y, control.orientation.z,
        )  # fmt: skip
        w, x, y, z = turned
        axis = (w * w + x * x - y * y - z * z, 2 * (x * y + w * z), 2 * (x * z - w * y))
        assert np.abs(axis)["xyz".index(control.name[-1])] == pytest.approx(1.0)
    markers = panda_client.markers()
    drawn = markers.next()
    markers.close()
    (target,) = shown(drawn).of("target")["target"]
    assert np.allclose(
        poses_to_transforms([target.pose]), poses_to_transforms([marker.pose]), atol=1e-6
    )
    assert shown(drawn).of("solution_")


def test_dragging_moves_the_target_for_all_and_solves(panda, panda_client, rviz):
    solutions, markers = panda_client.solutions(), panda_client.markers()
    number = rviz.fetch().sequence_number
    for turn in (0.2, 0.4):
        target = panda.forward([turn, 0.3, 0.0, -1.8, 0.0, 2.1, 0.8])
        (pose,) = transforms_to_poses(target[None])
        for name in "xyzw":  # the same pose in other numbers than the solver's target has
            setattr(pose.orientation, name, -getattr(pose.orientation, name))
        rviz.drag(pose)
        number += 1
        update = rviz.update()
        assert update.seq_num == number and update.type == update.UPDATE
        (moved,) = update.poses
        assert moved.name == "target" and moved.pose == pose
        message = solutions.next()
        assert np.allclose(poses_to_transforms(message.targets), target, atol=1e-9)
        q = np.reshape(message.positions, (-1, 7))
        assert len(q) and np.allclose(panda.forward(q), target, atol=2e-5)
    (marker,) = rviz.fetch().markers
    assert marker.pose == pose
    # The handle stays where it was dragged to: it does not follow the solutions of earlier steps.
    time.sleep(0.3)
    markers.close()
    assert rviz.fetch().sequence_number == number
    # No solve without a drag: release of the button at the same place, other markers.
    rviz.drag(pose, InteractiveMarkerFeedback.MOUSE_UP)
    rviz.drag(transforms_to_poses(np.eye(4)[None])[0], name="other")
    rviz.drag(transforms_to_poses(np.eye(4)[None])[0], InteractiveMarkerFeedback.MENU_SELECT)
    broken = transforms_to_poses(np.eye(4)[None])[0]
    broken.orientation.w = 0.0
    rviz.drag(broken)
    assert rviz.fetch().sequence_number == number and not len(solutions)
    solutions.close()


def test_the_handle_follows_targets_that_come_another_way(panda, panda_client, rviz):
    markers = panda_client.markers()  # the handle follows what RViz shows
    poses = [panda.forward([turn, 0.2, 0.0, -1.7, 0.0, 2.0, 0.7]) for turn in (-0.3, -0.6)]
    for ask in (
        lambda target: panda_client.call(request(target[None], num_solutions=2)),
        lambda target: panda_client.publish_target(*transforms_to_poses(target[None])),
    ):
        target = poses.pop()
        ask(target)
        (moved,) = rviz.update().poses
        assert np.allclose(poses_to_transforms([moved.pose]), target, atol=1e-9)
        (marker,) = rviz.fetch().markers
        assert marker.pose == moved.pose
    # A drag would give another link than the one that this target is for.
    other = panda.forward([0.1, 0.2, 0.0, -1.7, 0.0, 2.0, 0.7])
    panda_client.call(request(other[None], num_solutions=2, tip_link="panda_link8"))
    time.sleep(0.3)
    assert rviz.fetch().markers[0].pose == marker.pose
    markers.close()


def test_rviz_sees_the_arms_again_after_a_reset(panda, panda_client, rviz):
    """Reset deletes what displays show and asks for the interactive markers again.

    They come once more some seconds later, when RViz knows all transforms.
    """
    target = panda.forward([0.3, 0.2, 0.0, -1.7, 0.0, 2.0, 0.7])
    markers = panda_client.markers()
    panda_client.call(request(target[None], num_solutions=2))
    rviz.update()
    time.sleep(0.3)
    while len(markers):
        markers.next()
    rviz.fetch()
    arms = shown(markers.next()).of("solution_")
    assert arms and shown(markers.next()).of("solution_") == arms
    markers.close()


def test_a_drag_out_of_reach_is_not_logged_step_by_step(panda, panda_node, panda_client, rviz):
    mark, solutions = panda_node.mark(), panda_client.solutions()
    far = np.eye(4)
    for x in (3.0, 3.1, 3.2):
        far[0, 3] = x
        rviz.drag(*transforms_to_poses(far[None]))
        assert solutions.next().counts[0] == 0
    assert "target_pose" not in panda_node.output(mark)
    # A single target out of reach is reported.
    panda_client.publish_target(*transforms_to_poses(far[None]))
    panda_node.wait_for("target_pose", mark)
    solutions.close()
