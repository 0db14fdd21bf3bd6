"""A robot's collision geometry: the bodies of its links, and which of them are checked."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from os import PathLike
from pathlib import Path

from generative_ik_ros.arguments import file_path, listed_items, true_or_false
from generative_ik_ros.collision.body import CollisionLink, Pairs
from generative_ik_ros.collision.link_shapes import link_shapes
from generative_ik_ros.collision.mesh_files import MeshFolders
from generative_ik_ros.collision.pairs import unneeded_pairs
from generative_ik_ros.collision.robot_spheres import read_spheres
from generative_ik_ros.collision.shapes import Shape
from generative_ik_ros.collision.stored import stored_bodies
from generative_ik_ros.errors import (
    InvalidArgumentError,
    RobotDescriptionError,
    check_names,
    listed,
    shown,
    warn_caller,
)
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.description_source import read_source
from generative_ik_ros.robot.fixed import positions_by_name
from generative_ik_ros.robot.srdf import SemanticDescription


@dataclass(frozen=True, eq=False)
class CollisionModel:
    """The collision geometry of a robot; immutable.

    Attributes:
        description: The robot.
        links: The links that have geometry, in the order of the description, then what is
            attached to them.
        joint_positions: Positions of joints outside the chain, by name [rad or m].
        allowed: Pairs of names that are not checked; None: those that sampling finds to collide
            never or always.
        unchecked_links: Links that are not checked against obstacles and attached objects.
    """

    description: RobotDescription
    links: tuple[CollisionLink, ...]
    joint_positions: Mapping[str, float]
    allowed: Pairs | None
    unchecked_links: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        """Say in a line what has geometry."""
        shapes = sum(len(link.shapes) for link in self.links)
        name = self.description.name
        return f"CollisionModel('{name}', {len(self.links)} links with {shapes} shapes)"

    @classmethod
    def from_urdf(
        cls,
        source: str | PathLike[str] | RobotDescription,
        *,
        srdf: str | PathLike[str] | None = None,
        package_dirs: Iterable[str | PathLike[str]] = (),
        joint_positions: Mapping[str, float] | None = None,
        spheres: str | PathLike[str] | None = None,
        visuals: bool = False,
    ) -> "CollisionModel":
        """Read the collision geometry of a robot from its URDF and the meshes that it names.

        A GenerativeIKWarning names links that move and are drawn, but have no collision shapes.

        Args:
            source: URDF text, a path, or a description that was read before.
            srdf: SRDF text or a path. Pairs of links that it disables are not checked, nor links
                whose collisions it disables by default, except in pairs that it enables. With
                None, or one that disables none, links that a joint connects are not checked, nor
                pairs that collide never or always in random configurations.
            package_dirs: Folders in which package:// and relative addresses of meshes are looked
                up: folders of packages, or of a package.
            joint_positions: Positions of joints outside the chain, by name [rad or m]; 0, or the
                nearest limit, for those not named.
            spheres: A robot file of cuRobo, whose spheres are the geometry instead of the URDF's
                shapes, and whose ignored pairs and joined links are not checked.
            visuals: Whether links without collision elements have the shapes of their visual
                ones, of which malformed ones are left out, as in drawings.

        Raises:
            RobotDescriptionError: A description or a collision element is malformed, or meshes
                are missing or cannot be read.
            UnknownNameError: `joint_positions` names a joint that the robot does not have.
            InvalidArgumentError: A position is not finite, `package_dirs` names no folders, or
                `spheres` and `visuals` are both given.
        """
        if true_or_false("visuals", visuals) and spheres is not None:
            raise InvalidArgumentError("spheres and visuals exclude each other")
        description, path = _described(source)
        positions = positions_by_name("joint_positions", description, joint_positions)
        semantic = SemanticDescription({}) if srdf is None else _semantic(srdf)
        # One that disables nothing is of use for its groups only: joined links would collide.
        disabled = semantic.unchecked_pairs(description.links) or None
        apart = semantic.unchecked_links
        if spheres is not None:
            robot = read_spheres(file_path("spheres", spheres), description)
            links = _built(robot.shapes, robot.padding)
            allowed = disabled if disabled is not None else robot.ignored | joined(description)
            _warn_of_unshaped(description, links, ())
            return cls(description, links, positions, allowed, apart)
        folders = MeshFolders(package_dirs, path)
        links = _built(link_shapes(description, folders, visuals=visuals), {})
        _warn_of_unshaped(description, links, description.visuals)
        return cls(description, links, positions, disabled, apart)

    def attach(
        self,
        link: str,
        shapes: Sequence[Shape],
        *,
        name: str | None = None,
        touch_links: Iterable[str] = (),
    ) -> "CollisionModel":
        """Return a model with something fixed to a link: a tool, or what a gripper holds.

        It is checked against all links but this one, those that are rigidly joined to it, and
        `touch_links`, as MoveIt does it.

        Args:
            link: A link of the robot.
            shapes: In the frame of the link [m].
            name: A name that no link has; None: made from the link's.
            touch_links: More links that it is not checked against.

        Raises:
            UnknownNameError: The robot has no such link.
            InvalidArgumentError: There are no shapes, or the name is none or taken.
        """
        self.description.check_links(link)
        taken = {*self.description.links, *(other.name for other in self.links)}
        touched = {link, *listed_items("touch_links", touch_links, str, "names of links")}
        check_names("link", touched, sorted(taken))
        touched |= self.unchecked_links
        if name is None:
            number = 1
            while (name := f"{link}_attached_{number}") in taken:
                number += 1
        if not isinstance(name, str) or not name or name in taken:
            raise InvalidArgumentError(
                f"something attached needs a name of its own, not {shown(name)}"
            )
        shapes = listed_items("shapes", shapes, Shape, "shapes")
        (body,) = stored_bodies([shapes])
        added = CollisionLink(name, shapes, body, 0.0, link)
        allowed = self.unchecked | {frozenset((name, other)) for other in touched}
        return replace(self, links=(*self.links, added), allowed=allowed)

    @cached_property
    def unchecked(self) -> Pairs:
        """Pairs of names that are not checked; found by sampling the first time, if need be."""
        if self.allowed is not None:
            return self.allowed
        return unneeded_pairs(self.description, self.links, joined(self.description))


def joined(description: RobotDescription) -> Pairs:
    """Return the pairs of links that a joint joins, be it one that closes a loop."""
    pairs = [(joint.parent, joint.child) for joint in description.joints]
    pairs += [loop.links for loop in description.loops]
    return frozenset(map(frozenset, pairs))


def _built(
    shapes: Mapping[str, tuple[Shape, ...]], padding: Mapping[str, float]
) -> tuple[CollisionLink, ...]:
    """Return links of shapes, with their bodies."""
    bodies = stored_bodies(list(shapes.values()))
    return tuple(
        CollisionLink(link, those, body, padding.get(link, 0.0))
        for (link, those), body in zip(shapes.items(), bodies, strict=True)
    )


def _warn_of_unshaped(
    description: RobotDescription, links: Sequence[CollisionLink], drawn: Iterable[str]
) -> None:
    """Warn of bodies, links that are rigidly joined, that move and have no shapes.

    Args:
        description: The robot.
        links: Its links that have shapes.
        drawn: Links that should have some; without such a link a body is taken for a mere frame.
    """
    body_of, order = {description.root: description.root}, [description.root]
    for link in order:
        for joint in description.child_joints.get(link, ()):
            body_of[joint.child] = joint.child if joint.moves else body_of[link]
            order.append(joint.child)
    shaped = {body_of[link.name] for link in links} | {description.root}
    name, bare = description.name, [link for link in drawn if body_of[link] not in shaped]
    if len(shaped) == 1:
        text = (
            f"no link of robot '{name}' that its joints move has collision shapes: all "
            "configurations count as free"
        )
    elif bare:
        text = (
            f"links of robot '{name}' without collision shapes are not checked: {listed(bare, 10)}"
        )
    else:
        return
    hint = "; visuals=True takes their visual shapes" if bare else ""
    warn_caller(text + hint)


def _described(
    source: str | PathLike[str] | RobotDescription,
) -> tuple[RobotDescription, Path | None]:
    """Return a description, and the file it came from."""
    if isinstance(source, RobotDescription):
        return source, source.file
    text = read_source(source)
    data = text.encode(errors="replace") if isinstance(text, str) else text
    if b"<mujoco" in data:  # it may include other files
        description = RobotDescription.from_urdf(source)
        return description, description.file
    return _read(text), None if text is source else Path(source)


@lru_cache(maxsize=16)
def _read(text: str | bytes) -> RobotDescription:
    """Read a description; the same text is read once, for models that differ in positions."""
    return RobotDescription.from_urdf_text(text)


def _semantic(srdf: str | PathLike[str]) -> SemanticDescription:
    try:
        text = read_source(srdf)
    except RobotDescriptionError as error:
        raise RobotDescriptionError(f"semantic description (SRDF): {error}") from None
    return _read_semantic(text)


@lru_cache(maxsize=16)
def _read_semantic(text: str | bytes) -> SemanticDescription:
    return SemanticDescription.from_srdf(text)
