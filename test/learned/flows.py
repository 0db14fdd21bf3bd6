"""Untrained flows with random weights, whose mathematics must hold all the same."""

import numpy as np
import torch
from robots import planar_two_joints, poses, random_chain

from generative_ik_ros import KinematicChain
from generative_ik_ros.learned.checkpoint import save_checkpoint
from generative_ik_ros.learned.ikflow.flow import ConditionalFlow
from generative_ik_ros.learned.ikflow.weights import config_for, to_checkpoint
from generative_ik_ros.robot.known import load_robot, robot_urdf_path


def scrambled(chain, spread=0.3, seed=0, dtype=torch.float64, **settings):
    """A flow that is far from the identity."""
    torch.manual_seed(seed)
    flow = ConditionalFlow(config_for(chain, hidden=16, condition_hidden=16, **settings))
    with torch.no_grad():
        flow.last.normal_(0.0, spread)
        outputs = flow.last.shape[-1]
        flow.pose[4].bias.unflatten(0, (flow.config.layers, -1))[:, -outputs:].normal_(0.0, spread)
    return flow.to(dtype).requires_grad_(False)


def canonical_poses(chain, rng, count):
    """Reachable canonical poses (count, 4, 4) as a tensor."""
    return torch.tensor(chain.canonical_target(poses(chain, rng, count)))


def base_points(flow, rng, *shape):
    """Samples of the flow's base."""
    size = (*shape, flow.config.width)
    draw = rng.random if flow.config.kind == "spline" else rng.standard_normal
    return torch.tensor(draw(size))


def write_weights(path, chain, flow):
    """A checkpoint of an untrained flow."""
    save_checkpoint(path, to_checkpoint(flow.config, flow.state_dict(), chain, {"steps": 0}))
    return path


def remounted_panda():
    """A Panda that hangs on a wall and carries another gripper."""
    text = robot_urdf_path("panda").read_text()
    panda = load_robot("panda")
    extra = (
        "<link name='wall'/><joint name='mount' type='fixed'><parent link='wall'/>"
        f"<child link='{panda.description.root}'/><origin xyz='1 2 3' rpy='0.3 1.2 -0.7'/></joint>"
        "<link name='vacuum'/><joint name='carry' type='fixed'>"
        f"<parent link='{panda.tip_link}'/><child link='vacuum'/>"
        "<origin xyz='0.02 0.01 0.25' rpy='0.1 0.5 2'/></joint>"
    )
    return KinematicChain.from_urdf(text.replace("</robot>", extra + "</robot>"), "wall", "vacuum")


def mixed_chain(seed=3):
    """Revolute, continuous and prismatic joints."""
    return random_chain(np.random.default_rng(seed), 5)[1]


__all__ = [
    "base_points",
    "canonical_poses",
    "mixed_chain",
    "planar_two_joints",
    "remounted_panda",
    "scrambled",
]
