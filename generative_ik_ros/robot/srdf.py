"""Planning groups, end effectors and disabled collisions of a robot, read from its SRDF."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from generative_ik_ros.errors import (
    InvalidArgumentError,
    RobotDescriptionError,
    UnknownNameError,
    short,
)
from generative_ik_ros.robot.description_source import LIMITS, safe_tree


@dataclass(frozen=True)
class GroupDefinition:
    """A planning group as the SRDF defines it; whether the robot has its parts is not checked.

    Attributes:
        name: Unique among the groups.
        chains: Base and tip link of each chain.
        joints: Joints named one by one.
        links: Links named one by one: the joint above each belongs to the group.
        subgroups: Other groups, all of whose joints belong to this one.
    """

    name: str
    chains: tuple[tuple[str, str], ...] = ()
    joints: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    subgroups: tuple[str, ...] = ()


@dataclass(frozen=True)
class EndEffector:
    """A tool at the end of an arm.

    Attributes:
        name: The end effector's name.
        parent_link: Link that it is mounted on.
        group: Group of its own joints.
        parent_group: Group of the arm that carries it, "" where the SRDF leaves it open.
    """

    name: str
    parent_link: str
    group: str
    parent_group: str


@dataclass(frozen=True)
class SemanticDescription:
    """The part of an SRDF that inverse kinematics and collision checks need.

    Attributes:
        groups: Planning groups by name.
        end_effectors: In the order of the description.
        disabled_collisions: Pairs of links that are not checked for collisions.
        unchecked_links: Links that are not checked against anything by default.
        enabled_collisions: Pairs that are checked although one of them is such a link.
    """

    groups: Mapping[str, GroupDefinition]
    end_effectors: tuple[EndEffector, ...] = ()
    disabled_collisions: frozenset[frozenset[str]] = frozenset()
    unchecked_links: frozenset[str] = frozenset()
    enabled_collisions: frozenset[frozenset[str]] = frozenset()

    @classmethod
    def from_srdf(cls, text: str | bytes) -> "SemanticDescription":
        """Read an SRDF from its text; no file or address that it names is ever opened.

        Raises:
            RobotDescriptionError: The text is no SRDF, is too large, declares entities, defines
                a group twice, or a group has neither a name nor sound members.
        """
        try:
            root = safe_tree(text)
            groups: dict[str, GroupDefinition] = {}
            for element in _bounded(root.findall("group"), "groups"):
                group = _group(element)
                if group.name in groups:
                    raise RobotDescriptionError(f"group '{short(group.name)}' is defined twice")
                groups[group.name] = group
            effectors = _bounded(root.findall("end_effector"), "end effectors")
            unchecked = map(_links, root.findall("disable_default_collisions"))
            return cls(
                groups,
                tuple(_end_effector(element) for element in effectors),
                _pairs(root, "disable_collisions"),
                frozenset(link for links in unchecked for link in links),
                _pairs(root, "enable_collisions"),
            )
        except RobotDescriptionError as error:
            raise RobotDescriptionError(f"semantic description (SRDF): {error}") from None

    @classmethod
    def from_chains(cls, text: str) -> "SemanticDescription":
        """Read groups from "NAME BASE_LINK TIP_LINK", several separated by semicolons.

        Raises:
            InvalidArgumentError: The text is malformed, or names a group twice.
        """
        groups: dict[str, GroupDefinition] = {}
        for entry in filter(None, map(str.strip, text.split(";"))):
            parts = entry.split()
            if len(parts) != 3 or parts[0] in groups:
                raise InvalidArgumentError(
                    "groups are written as 'NAME BASE_LINK TIP_LINK', several separated by "
                    f"semicolons, each name once; got '{short(entry)}'"
                )
            groups[parts[0]] = GroupDefinition(parts[0], chains=((parts[1], parts[2]),))
        return cls(groups)

    def unchecked_pairs(self, names: Collection[str]) -> frozenset[frozenset[str]]:
        """Return the pairs that are not checked for collisions, in MoveIt's order of precedence.

        A disabled pair is not, whatever else is said of it; then an enabled one is; and of the
        others those with an unchecked link are not.

        Args:
            names: All links of the robot, and what is attached to them.
        """
        of_links = {
            frozenset((link, other))
            for link in self.unchecked_links.intersection(names)
            for other in names
            if other != link
        }
        return self.disabled_collisions | (of_links - self.enabled_collisions)

    def members(self, name: str) -> tuple[GroupDefinition, ...]:
        """Return a group and all its subgroups, direct and indirect, each once.

        Raises:
            UnknownNameError: There is no such group, or a subgroup does not exist.
        """
        found: dict[str, GroupDefinition] = {}
        todo = [name]
        while todo:
            group = todo.pop()
            # Also ends the search where groups contain each other in a circle.
            if group in found:
                continue
            if group not in self.groups:
                raise UnknownNameError("planning group", group, self.groups)
            found[group] = self.groups[group]
            todo.extend(reversed(found[group].subgroups))
        return tuple(found.values())


def _group(element: Element) -> GroupDefinition:
    name = _name(element, "name", "a group")
    where = f"group '{short(name)}'"
    _bounded(list(element), f"members of {where}")

    def named(tag: str) -> tuple[str, ...]:
        return tuple(_name(part, "name", f"{where}: {tag}") for part in element.findall(tag))

    chains = tuple(
        (_name(part, "base_link", f"{where}: chain"), _name(part, "tip_link", f"{where}: chain"))
        for part in element.findall("chain")
    )
    return GroupDefinition(name, chains, named("joint"), named("link"), named("group"))


def _end_effector(element: Element) -> EndEffector:
    name = _name(element, "name", "an end effector")
    where = f"end effector '{short(name)}'"
    return EndEffector(
        name,
        _name(element, "parent_link", where),
        _name(element, "group", where),
        element.get("parent_group", "").strip()[: LIMITS.max_name],
    )


def _pairs(root: Element, tag: str) -> frozenset[frozenset[str]]:
    """Return the pairs of links in elements of a name; malformed ones are left out."""
    pairs = (_links(element) for element in root.findall(tag))
    return frozenset(pair for pair in pairs if len(pair) == 2)


def _links(element: Element) -> frozenset[str]:
    links = (element.get(key, "").strip() for key in ("link", "link1", "link2"))
    return frozenset(link for link in links if 0 < len(link) <= LIMITS.max_name)


def _name(element: Element, attribute: str, where: str) -> str:
    name = element.get(attribute, "").strip()
    if not name:
        raise RobotDescriptionError(f"{where} has no {attribute}")
    if len(name) > LIMITS.max_name:
        raise RobotDescriptionError(f"{where} has a {attribute} of {len(name)} characters")
    return name


def _bounded(elements: list[Element], what: str) -> list[Element]:
    if len(elements) > LIMITS.max_parts:
        raise RobotDescriptionError(f"{len(elements)} {what} are more than {LIMITS.max_parts}")
    return elements
