"""Link parameters of every chain at hand: exact, and independent of conventions of its URDF."""

import numpy as np
import pytest
import torch
from odd_arms import arm
from robots import configurations

from generative_ik_ros.learned.ggik.autoregressive.goal_features import GoalView
from generative_ik_ros.learned.ggik.autoregressive.kinematics import (
    Decision,
    JointFrame,
    closed_form,
    decided_by,
    displacement_of,
    next_frame,
)
from generative_ik_ros.learned.graph.arm_graph import ArmGraph
from generative_ik_ros.learned.graph.links import Frame
from generative_ik_ros.robot.known import load_robot

MANY = 30


def frames_of(graph, q):
    """Return the frames before every joint and at the end, joint frames, and displacements."""
    links, frame = graph.links, Frame.identity(q[:, :1].expand(-1, 3))
    frames, joint_frames, displacements = [frame], [], []
    for joint in range(links.num_joints):
        joint_frames.append(JointFrame.of(links, joint, frame))
        displacements.append(displacement_of(links, joint, q))
        frame = next_frame(links, joint, frame, joint_frames[-1], displacements[-1])
        frames.append(frame)
    return frames, joint_frames, displacements


def test_links_lead_to_where_forward_kinematics_does(chain):
    graph = ArmGraph.of(chain)
    q = configurations(chain, MANY)
    # URDFs with rounded numbers have lengths and angles that count as zero.
    rounding = 2e-4 * float(graph.scale)
    goal = graph.links.end_frame(torch.tensor(chain.canonical_target(chain.forward(q))))
    frames, joint_frames, _ = frames_of(graph, torch.tensor(q))
    torch.testing.assert_close(frames[-1].origin, goal.origin, atol=rounding, rtol=0)
    torch.testing.assert_close(frames[-1].axes, goal.axes, atol=rounding, rtol=0)
    motions = graph.lines.link_motions(torch.tensor(q))
    for joint, (frame, joint_frame) in enumerate(zip(frames, joint_frames, strict=False)):
        rotation, shift = motions[:, joint, :3, :3], motions[:, joint, :3, 3]
        axis = graph.links.sense[joint] * (rotation @ graph.lines.directions[joint])
        torch.testing.assert_close(joint_frame.z, axis, atol=2e-4, rtol=0)
        if not chain.joint_prismatic[joint]:
            away = frame.origin - shift - rotation @ graph.lines.points[joint]
            across = torch.linalg.cross(away, axis)
            assert across.norm(dim=-1).max() < rounding  # on its axis


def test_parameters_of_perpendicular_axes_are_those_of_denavit_and_hartenberg():
    """Base to elbow: a = 0.1 m; elbow to wrist: a = 0.2 m, d = 0.05 m; twists of a right angle."""
    links = ArmGraph.of(
        arm(
            ("revolute", "0 0 1", "0 0 0"),
            ("revolute", "0 1 0", "0.1 0 0.3"),
            ("revolute", "0 0 1", "0.2 0.05 0"),
        )
    ).links
    assert links.link_length.tolist() == pytest.approx([0.1, 0.2, 0.0])
    assert links.link_offset.tolist() == pytest.approx([0.0, 0.05, 0.0])
    for axis in links.axis[1:]:
        assert axis.abs().tolist() == pytest.approx([0.0, 1.0, 0.0])


def test_joints_that_follow_from_the_goal_are_exact(chain):
    graph = ArmGraph.of(chain)
    links, q = graph.links, torch.tensor(configurations(chain, MANY))
    frames, joint_frames, displacements = frames_of(graph, q)
    kinds = decided_by(links)
    assert Decision.CLOSED_FORM in kinds or chain.num_joints < links.num_joints
    for joint, kind in enumerate(kinds):
        if kind != Decision.CLOSED_FORM:
            continue
        off = closed_form(links, joint, frames[joint], joint_frames[joint], frames[-1])
        off = off - displacements[joint]
        if not links.prismatic[joint]:
            off = torch.remainder(off + np.pi, 2 * np.pi) - np.pi
        assert off.abs().max() < 1e-7


def test_neither_the_sense_of_an_axis_nor_its_zero_matters():
    """One arm described twice, with opposite directions of the second axis."""
    first, second = (
        ArmGraph.of(
            arm(
                ("revolute", "0 0 1", "0 0 0.1"),
                ("revolute", axis, "0.1 0.1 0.2"),
                ("revolute", "0 1 0", "0.3 0.1 0"),
                ("revolute", "1 0 0", "0.2 0 0"),
            )
        ).links
        for axis in ("0 1 0", "0 -1 0")
    )
    torch.testing.assert_close(first.features, second.features, atol=1e-12, rtol=0)
    torch.testing.assert_close(first.axis, second.axis, atol=1e-12, rtol=0)
    assert first.sense[1] == -second.sense[1]


def test_goal_features_are_invariant():
    """Moving arm and goal together leaves what the network sees."""
    graph = ArmGraph.of(load_robot("panda"))
    q = torch.tensor(configurations(load_robot("panda"), MANY))
    frames, _, _ = frames_of(graph, q)
    generator = torch.Generator().manual_seed(1)
    turn = torch.linalg.qr(torch.randn(3, 3, generator=generator, dtype=torch.float64))[0]
    turn = turn * torch.linalg.det(turn)
    shift = torch.tensor([0.3, -0.2, 0.9], dtype=torch.float64)

    def moved(frame):
        return Frame(frame.origin @ turn.T + shift, turn @ frame.axes)

    def features(joint, frame, goal):
        joint_frame = JointFrame.of(graph.links, joint, frame)
        return GoalView.of(graph.links, frame, joint_frame, goal).features

    for joint in range(5):
        still = features(joint, frames[joint], frames[-1])
        after = features(joint, moved(frames[joint]), moved(frames[-1]))
        torch.testing.assert_close(still, after, atol=1e-9, rtol=0)
