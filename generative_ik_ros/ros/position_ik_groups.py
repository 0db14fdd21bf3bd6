"""Cache of the kinematics solvers of a robot's planning groups."""

import threading
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.moveit import GenerativeIK
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.joint_group import JointGroup
from generative_ik_ros.robot.srdf import SemanticDescription
from generative_ik_ros.ros.parameters import Settings

_SETTINGS = (
    "base_link", "tip_link", "groups", "sampler", "device", "position_tolerance",
    "orientation_tolerance", "timeout",
)  # fmt: skip
"""Settings that the solvers depend on."""


def group_settings(settings: Settings) -> Settings:
    """Return settings in which all that the solvers do not depend on are at their defaults."""
    return Settings(**{name: getattr(settings, name) for name in _SETTINGS})


class GroupSolvers:
    """The solvers of one robot's planning groups, each built once and shared by all callbacks.

    Args:
        description: The robot.
        semantic: SRDF text; "": none.
        settings: The node's settings; `groups` defines additional groups.

    Attributes:
        names: The groups' names, except the empty one of the default chain.

    Raises:
        RobotDescriptionError: The semantic description is unusable.
        InvalidArgumentError: The setting `groups` is malformed.
    """

    def __init__(self, description: RobotDescription, semantic: str, settings: Settings):
        self.description = description
        self._settings = settings
        srdf = SemanticDescription.from_srdf(semantic) if semantic else SemanticDescription({})
        self._srdf_groups = frozenset(srdf.groups)
        added = SemanticDescription.from_chains(settings.groups).groups
        self._semantic = replace(srdf, groups={**srdf.groups, **added})
        self.names = tuple(self._semantic.groups)
        self._lock = threading.Lock()
        # Clients choose links freely, so there may be any number of solvers.
        self._cached = lru_cache(64)(self._build)

    def in_srdf(self, name: str) -> bool:
        """Whether a group is defined in the SRDF, so that MoveIt has it as well."""
        return name in self._srdf_groups

    def solver(
        self, name: str, tip_link: str | tuple[str, ...], tools: Mapping[str, Floats] | None = None
    ) -> GenerativeIK:
        """Return the solver of a group for a link that it moves, or several; "": its own tip.

        `tools` are those of `GenerativeIK`.

        Raises:
            UnknownNameError: The group or the link does not exist.
            RobotDescriptionError: The group does not move the link.
        """
        with self._lock:
            held = tuple((link, tool.tobytes()) for link, tool in (tools or {}).items())
            return self._cached(name, tip_link, held)

    def _build(
        self, name: str, tip_link: str | tuple[str, ...], tools: tuple[tuple[str, bytes], ...]
    ) -> GenerativeIK:
        settings, description = self._settings, self.description
        if name or not isinstance(tip_link, str):
            group = JointGroup.from_srdf(description, self._semantic, name)
        else:
            group = JointGroup.from_links(
                description, name, settings.base_link, tip_link or settings.tip_link
            )
        one = isinstance(tip_link, str)
        return GenerativeIK(
            group,
            tip_link,
            tools={link: np.frombuffer(tool).reshape(4, 4) for link, tool in tools},
            # Other samplers are for one tip.
            sampler=settings.sampler if one else "auto",
            device=settings.device,
            position_tolerance=settings.position_tolerance,
            orientation_tolerance=settings.orientation_tolerance,
            default_timeout=settings.timeout,
        )
