"""A robot and its planning groups in, a kinematics solver for each group out."""

import threading
from collections import OrderedDict
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from generative_ik_ros.moveit import GenerativeIK
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.joint_group import JointGroup
from generative_ik_ros.robot.srdf import SemanticDescription
from generative_ik_ros.ros.frames import fixed_frames
from generative_ik_ros.ros.parameters import Settings

MAX_SOLVERS = 64
"""Solvers kept: clients choose links freely, so their number has no bound of its own."""


class GroupSolvers:
    """The solvers of one robot's planning groups, each built once and shared by all callbacks.

    Args:
        description: The robot.
        semantic: SRDF text; "": none.
        settings: The node's; `groups` names further groups.

    Raises:
        RobotDescriptionError: The semantic description is unusable.
        InvalidArgumentError: The setting `groups` is malformed.
    """

    def __init__(self, description: RobotDescription, semantic: str, settings: Settings):
        """Read what groups there are."""
        self.description = description
        self._settings = settings
        written = SemanticDescription({})
        if semantic:
            written = SemanticDescription.from_srdf(semantic)
        self._in_scene = frozenset(written.groups)
        added = SemanticDescription.from_chains(settings.groups).groups
        self._semantic = replace(written, groups={**written.groups, **added})
        self._lock = threading.Lock()
        self._solvers: OrderedDict[tuple[str, str], GenerativeIK] = OrderedDict()
        self._fixed: dict[str, dict[str, NDArray[np.float64]]] = {}

    @property
    def names(self) -> tuple[str, ...]:
        """The groups' names, without that of the default chain, which is empty."""
        return tuple(self._semantic.groups)

    def in_scene(self, name: str) -> bool:
        """Say whether MoveIt knows a group by this name as well."""
        return name in self._in_scene

    def solver(self, name: str, tip_link: str) -> GenerativeIK:
        """Return the solver by which a group moves a link; "": its own tip.

        Raises:
            UnknownNameError: The group or the link does not exist.
            RobotDescriptionError: The group does not move the link.
        """
        with self._lock:
            key = name, tip_link
            if key not in self._solvers:
                settings = self._settings
                self._solvers[key] = GenerativeIK(
                    self._group(name, tip_link),
                    tip_link,
                    sampler=settings.sampler,
                    device=settings.device,
                    position_tolerance=settings.position_tolerance,
                    orientation_tolerance=settings.orientation_tolerance,
                    default_timeout=settings.timeout,
                )
            self._solvers.move_to_end(key)
            while len(self._solvers) > MAX_SOLVERS:
                self._solvers.popitem(last=False)
            return self._solvers[key]

    def fixed_frames(self, base_link: str) -> dict[str, NDArray[np.float64]]:
        """Return the pose in a base link, (4, 4) [m], of each link that never moves against it."""
        if base_link not in self._fixed:
            self._fixed[base_link] = fixed_frames(self.description, base_link)
        return self._fixed[base_link]

    def _group(self, name: str, tip_link: str) -> JointGroup:
        settings, description = self._settings, self.description
        if not name:
            tip_link = tip_link or settings.tip_link
            return JointGroup.from_links(description, name, settings.base_link, tip_link)
        return JointGroup.from_srdf(description, self._semantic, name)
