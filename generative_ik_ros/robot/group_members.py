"""What an SRDF's planning group is of a robot: its joints, its base and its tips."""

from collections.abc import Iterator

from generative_ik_ros.errors import check_names
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import Joint
from generative_ik_ros.robot.fold import path
from generative_ik_ros.robot.srdf import SemanticDescription


def group_joints(
    description: RobotDescription, semantic: SemanticDescription, name: str
) -> list[Joint]:
    """Return a group's joints and those of its subgroups, fixed ones included, top down."""
    joints: set[str] = set()
    links = dict.fromkeys(description.links)
    for member in semantic.members(name):
        check_names("joint", member.joints, description.joint_named)
        check_names("link", member.links, links)
        joints.update(member.joints)
        above = (description.parent_joint.get(link) for link in member.links)
        joints.update(joint.name for joint in above if joint is not None)
        for ends in member.chains:
            check_names("link", ends, links)
            joints.update(joint.name for joint, _ in path(description, *ends))
    return [joint for joint in _top_down(description) if joint.name in joints]


def whole_chain(semantic: SemanticDescription, name: str) -> tuple[str, str] | None:
    """Return base and tip link of a group that is defined as one chain."""
    group = semantic.groups[name]
    alone = len(group.chains) == 1 and not group.joints + group.links + group.subgroups
    return group.chains[0] if alone else None


def _top_down(description: RobotDescription) -> Iterator[Joint]:
    """Yield every joint, depth first, siblings by name: the order of MoveIt's variables."""
    todo = [description.root]
    while todo:
        link = todo.pop()
        if link in description.parent_joint:
            yield description.parent_joint[link]
        below = sorted(description.child_joints.get(link, ()), key=lambda joint: joint.name)
        todo.extend(joint.child for joint in reversed(below))


def common_root(description: RobotDescription, joints: list[Joint]) -> str:
    """Return the lowest link that is above all of the joints."""
    ways = [description.joints_above(joint.child)[::-1] for joint in joints]
    shared = [
        each[0].parent for each in zip(*ways, strict=False) if len({j.parent for j in each}) == 1
    ]
    return shared[-1]


def only_tip_of(
    description: RobotDescription,
    semantic: SemanticDescription,
    name: str,
    joints: list[Joint],
) -> str:
    """Return the link that carries the end effector, or the end of a serial group, or ""."""
    mounts = _mounts(description, semantic, name)
    if len(mounts) == 1:
        return mounts[0]
    last = joints[-1].child
    above = description.joints_above(last)
    return last if all(joint in above for joint in joints) else ""


def _mounts(
    description: RobotDescription, semantic: SemanticDescription, name: str
) -> tuple[str, ...]:
    """Return the links on which a group carries end effectors, each once."""
    mounts = dict.fromkeys(
        tool.parent_link for tool in semantic.end_effectors if tool.parent_group == name
    )
    return tuple(mounts) if set(mounts) <= set(description.links) else ()


def group_tips(
    description: RobotDescription, semantic: SemanticDescription, name: str
) -> tuple[str, ...]:
    """Return a group's one tip, or those of its end effectors, or of its chains and subgroups.

    A link on the way to another tip, as the end of a torso, is none.
    """
    if len(semantic.members(name)) > 256:  # so many groups in one: tips have to be named
        return ()
    found: list[str] = []
    seen, todo = set(), [name]
    while todo:
        group = todo.pop()
        # Groups can contain each other in a circle.
        if group in seen:
            continue
        seen.add(group)
        joints = group_joints(description, semantic, group)
        if not any(joint.moves for joint in joints):
            continue
        chain = whole_chain(semantic, group)
        tip = chain[1] if chain else only_tip_of(description, semantic, group, joints)
        own = (tip,) if tip else _mounts(description, semantic, group)
        found += own or [tip for _, tip in semantic.groups[group].chains]
        todo += () if own else reversed(semantic.groups[group].subgroups)
    passed = {joint.parent for tip in found for joint in description.joints_above(tip)}
    return tuple(dict.fromkeys(tip for tip in found if tip not in passed))
