"""Tools: frames on the tip links of a chain or tree that poses are for, instead of the links."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from generative_ik_ros.array_types import Floats
from generative_ik_ros.errors import check_names
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.xml_values import frozen

_Robot = TypeVar("_Robot", KinematicChain, KinematicTree)


def with_tools(robot: _Robot, tools: Mapping[str, ArrayLike]) -> _Robot:
    """Return a chain or tree whose poses are those of frames on its tip links.

    Args:
        robot: A chain, or a tree with K tips.
        tools: (4, 4) pose of the frame in the tip link, by tip link [m]; none: the link itself.

    Raises:
        UnknownNameError: There is no such tip link.
    """
    check_names("tip link", tools, robot.tip_links)
    if isinstance(robot, KinematicChain):
        tool = tools.get(robot.tip_link, np.eye(4))
        return replace(robot, tip_in_last_joint=_moved(robot.tip_in_last_joint, tool))
    moved = robot.tip_in_joint.copy()
    for k, link in enumerate(robot.tip_links):
        moved[k] = _moved(moved[k], tools.get(link, np.eye(4)))
    chains = [
        with_tools(chain, {link: tools[link] for link in chain.tip_links if link in tools})
        for chain in robot.chains
    ]
    return replace(robot, tip_in_joint=frozen(moved), chains=tuple(chains))


def _moved(tip: Floats, tool: ArrayLike) -> Floats:
    return frozen(tip @ np.asarray(tool, np.float64))
