"""Options that choose a robot and a chain of it, and the chain that they choose."""

import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, cast

import typer

from generative_ik_ros.cli.options import (
    MaybeText,
    MaybeTexts,
    parse_joint_limits,
    parse_positions,
)
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError

if TYPE_CHECKING:
    from generative_ik_ros.robot.chain import KinematicChain
    from generative_ik_ros.robot.description import RobotDescription

Robot = Annotated[
    MaybeText,
    typer.Option(help="Name of a robot: one that `robots` lists, or one of robot_descriptions."),
]
Urdf = Annotated[
    MaybeText,
    typer.Option(
        metavar="FILE",
        help="Any URDF, xacro, MJCF or SDF file; arguments of a xacro file behind its name, "
        "as in 'FILE NAME:=VALUE'.",
    ),
]
BaseLink = Annotated[MaybeText, typer.Option(help="Link that the chain starts from.")]
TipLinks = Annotated[
    MaybeTexts,
    typer.Option(
        "--tip-link",
        metavar="NAME",
        help="Link whose pose is given; repeat it for several tips, if the verb takes them.",
    ),
]
MissingLimits = Annotated[
    str,
    typer.Option(metavar="error|continuous", help="How to treat a revolute joint without limits."),
]

Fixed = Annotated[
    MaybeTexts,
    typer.Option(
        metavar="NAME=Q,...",
        help="Joints of the chain to hold at a position (rad or m) instead of solving for them.",
    ),
]
JointLimits = Annotated[
    MaybeTexts,
    typer.Option(
        metavar="NAME=LOWER:UPPER,...",
        help="Limits of joints (rad or m) instead of the URDF's, or MoveIt's joint_limits.yaml.",
    ),
]
SoftLimits = Annotated[
    bool,
    typer.Option("--soft-limits", help="Stay within the soft limits of <safety_controller>, too."),
]
Loops = Annotated[
    MaybeText,
    typer.Option(metavar="FILE", help="Loops and couplings of joints, in YAML (docs/loops.md)."),
]


class ChainOptions(NamedTuple):
    """A robot and a part of it, as the options above choose them."""

    robot: Robot = None
    urdf: Urdf = None
    base_link: BaseLink = None
    tip_link: TipLinks = None
    fixed: Fixed = None
    missing_limits: MissingLimits = "error"
    joint_limits: JointLimits = None
    soft_limits: SoftLimits = False
    loops: Loops = None

    @property
    def named(self) -> bool:
        """Whether a robot was named."""
        return self.robot is not None or self.urdf is not None

    @property
    def tips(self) -> list[str]:
        """The tip links that were named."""
        return list(self.tip_link or ())

    def chain(self) -> "KinematicChain":
        """Load the one chain that was named; with loops before its tip it is a tree.

        Raises:
            InvalidArgumentError: Several tips were named, or as `tree` says.
        """
        if len(self.tips) > 1:
            raise InvalidArgumentError(f"this takes one --tip-link, not {len(self.tips)}")
        return self.tree()

    def tree(self) -> "KinematicChain":
        """Load the robot that was named; with several tips, or loops before the tip, a tree.

        A link that was not named is the robot's own.

        Raises:
            InvalidArgumentError: Not one robot was named, or a joint cannot stand where it should
                or have the limits that it should.
            UnknownNameError: There is no such robot, link, joint, or choice for missing limits.
            RobotDescriptionError: The description cannot be used.
        """
        if (self.robot is None) == (self.urdf is None):
            raise InvalidArgumentError("give one of --robot NAME and --urdf FILE")
        choices = "error", "continuous"
        if self.missing_limits not in choices:
            raise UnknownNameError("--missing-limits", self.missing_limits, choices)
        from generative_ik_ros.robot.chain_or_tree import chain_or_tree
        from generative_ik_ros.robot.kinematic_tree import KinematicTree
        from generative_ik_ros.robot.known import known_robot

        base_link, tips = self.base_link, self.tips
        if self.robot is None:
            source = described(self.urdf or "")
        else:
            known = known_robot(self.robot)
            source, base_link = known.description(), base_link or known.base_link or None
            tips = tips or [link for link in (known.tip_link,) if link]
        how: dict[str, Any] = {
            "fixed": parse_positions("--fixed", self.fixed),
            "missing_limits": self.missing_limits,
            "joint_limits": parse_joint_limits(self.joint_limits),
            "soft_limits": self.soft_limits,
            "loops": self.loops,
        }
        if len(tips) > 1:
            # A tree has all that is used of a chain here.
            return cast("KinematicChain", KinematicTree.from_urdf(source, base_link, tips, **how))
        return chain_or_tree(source, base_link, next(iter(tips), None), **how)


def described(urdf: str) -> "RobotDescription":
    """Read the file that --urdf names, with NAME:=VALUE behind it for arguments of xacro.

    Raises:
        RobotDescriptionError: The description cannot be used.
        MissingDependencyError: What reads such a file is not installed.
        InvalidArgumentError: There are arguments, but it is no xacro file.
    """
    from generative_ik_ros.robot.description import RobotDescription

    file, *arguments = re.split(r"\s+(?=\w+:=)", urdf.strip())
    given = dict(argument.split(":=", 1) for argument in arguments)
    return RobotDescription.from_urdf(Path(file), xacro_args=given)
