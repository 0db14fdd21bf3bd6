"""What an autoregressive model sees of the goal from a joint, and the angles that it predicts.

All of it is made of distances and angles between the arm and its goal, so it is the same wherever
the base stands and however it is turned: samples are equivariant.
"""

from dataclasses import dataclass

import torch
from torch import Tensor

from generative_ik_ros.learned.ggik.autoregressive.kinematics import (
    Decision,
    JointFrame,
    decided_by,
    displacement_of,
    next_frame,
)
from generative_ik_ros.learned.graph.links import Frame, Links, rotate_perpendicular

GOAL_FEATURES = 9
"""Numbers that describe the goal as seen from a joint."""


@dataclass(frozen=True)
class GoalTuning:
    """How goals are described."""

    axis_share: float = 0.3
    """Weight of the goal's z in the direction of angle zero, for goals on the joint's axis."""
    prismatic_arc: float = 0.8
    """The range of a prismatic joint takes this share of the circle of predicted angles."""


TUNING = GoalTuning()


@dataclass(frozen=True, eq=False)
class GoalView:
    """The goal as seen from a joint.

    Attributes:
        features: (*S, GOAL_FEATURES) for the network, in the frame of x, y and the joint's axis:
            the goal's origin and its distance, the goal's z, and `JointFrame.x` (without its
            third component, which is 0). Lengths are shares of the arm's.
        x: (*S, 3) unit vector perpendicular to the joint's axis, towards the goal; angles count
            from here.
        y: (*S, 3) the axis times x.
    """

    features: Tensor
    x: Tensor
    y: Tensor

    @classmethod
    def of(cls, links: Links, frame: Frame, joint_frame: JointFrame, goal: Frame) -> "GoalView":
        """Look at a goal, frame m, from the joint after a frame."""
        axis = joint_frame.z
        away = (goal.origin - frame.origin) / links.scale[..., None]
        aim = away + TUNING.axis_share * goal.z
        aim = aim - (aim * axis).sum(-1, keepdim=True) * axis
        x = aim / aim.norm(dim=-1, keepdim=True).clamp(min=1e-9)
        y = torch.linalg.cross(axis.expand_as(x), x)
        rotation = torch.stack([x, y, axis.expand_as(x)], dim=-2)
        vectors = torch.stack(torch.broadcast_tensors(away, goal.z, joint_frame.x), dim=-1)
        away, goal_z, middle = (rotation @ vectors).unbind(-1)
        features = [away, away.norm(dim=-1, keepdim=True), goal_z, middle[..., :2]]
        return cls(torch.cat(features, dim=-1), x, y)

    def angle_of(self, direction: Tensor) -> Tensor:
        """Return the angles (*S) of vectors (*S, 3) across the joint's axis [rad]."""
        return torch.atan2((direction * self.y).sum(-1), (direction * self.x).sum(-1))


def displacement_from(
    links: Links, joint: int, joint_frame: JointFrame, view: GoalView, angle: Tensor
) -> Tensor:
    """Return the displacement (*S) of a joint for a predicted angle (*S).

    For a revolute joint it is the angle of x of the next frame, from `GoalView.x` on. What is
    outside the joint's range is reflected at its limit.
    """
    half = links.half_range[..., joint]
    if links.prismatic[joint]:
        displacement = angle / (TUNING.prismatic_arc * torch.pi) * half
    else:
        displacement = angle - view.angle_of(joint_frame.x)
        displacement = torch.remainder(displacement + torch.pi, 2.0 * torch.pi) - torch.pi
    displacement = torch.where(displacement > half, 2.0 * half - displacement, displacement)
    displacement = torch.where(displacement < -half, -2.0 * half - displacement, displacement)
    return torch.minimum(torch.maximum(displacement, -half), half)


def training_pairs(
    links: Links, q: Tensor, errors: Tensor | None = None
) -> list[tuple[int, Tensor, Tensor]]:
    """Return what a model sees from each joint of arms whose goal configurations reach.

    Args:
        links: Of the arms (A).
        q: (*S, n) configurations; A broadcasts with S.
        errors: (*S, m) by how much each joint is off when the next one is predicted, None for not
            at all. The angle is still that of the configuration, so that a model learns to make
            up for errors.

    Returns:
        For every joint that is sampled: which, the goal's features from it (*S, GOAL_FEATURES),
        and its angle (*S).
    """
    frame = Frame.identity(q[..., :1].expand(*q.shape[:-1], 3))
    steps = []
    for joint in range(links.num_joints):
        joint_frame = JointFrame.of(links, joint, frame)
        displacement = displacement_of(links, joint, q)
        steps.append((frame, joint_frame, displacement))
        frame = next_frame(links, joint, frame, joint_frame, displacement)
    goal, pairs = frame, []
    for joint, kind in enumerate(decided_by(links)):
        if kind != Decision.SAMPLED:
            continue
        frame, joint_frame, displacement = steps[joint]
        direction = rotate_perpendicular(joint_frame.z, joint_frame.x, displacement)
        if errors is not None and joint:
            frame, before, moved = steps[joint - 1]
            moved = moved + errors[..., joint - 1]
            frame = next_frame(links, joint - 1, frame, before, moved)
            joint_frame = JointFrame.of(links, joint, frame)
        view = GoalView.of(links, frame, joint_frame, goal)
        angle = view.angle_of(direction)
        if links.prismatic[joint]:
            angle = TUNING.prismatic_arc * torch.pi * displacement / links.half_range[..., joint]
        pairs.append((joint, view.features, angle))
    return pairs
