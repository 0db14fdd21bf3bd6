"""What equalities and tendons of a MuJoCo model make of its joints."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from generative_ik_ros.robot.elements import Mimic
from generative_ik_ros.robot.mjcf_model import MjModel, mujoco_module


@dataclass
class Couplings:
    """How joints depend on each other, by their index.

    Attributes:
        mimics: Joints that follow another.
        standing: Joints that are held at a position [rad or m].
        obstacles: Joints that are coupled in a way that is not supported, and how.
    """

    mimics: dict[int, Mimic] = field(default_factory=dict)
    standing: dict[int, float] = field(default_factory=dict)
    obstacles: dict[int, str] = field(default_factory=dict)


def couplings_of(model: MjModel, joint_names: list[str]) -> Couplings:
    """Read the equalities and tendons of a model.

    An equality between joints with a linear polynomial is a mimic. What couples joints otherwise
    is an obstacle for these joints only: loops that `connect` and `weld` close, and tendons that
    an equality or limits hold. Inactive equalities and those with mocap bodies, by which users
    drag a robot in a simulator, are no part of it.

    Args:
        model: The `mujoco.MjModel`.
        joint_names: By index.
    """
    mujoco = mujoco_module()
    kinds, found = mujoco.mjtEq, Couplings()
    for i in range(model.neq):
        if not model.eq_active0[i]:
            continue
        kind, ends = kinds(model.eq_type[i]), (int(model.eq_obj1id[i]), int(model.eq_obj2id[i]))
        name = f"'{model.eq(i).name or i + 1}'"
        if kind == kinds.mjEQ_JOINT:
            _joint_equality(model, i, name, joint_names, found)
        elif kind in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD):
            if model.eq_objtype[i] == mujoco.mjtObj.mjOBJ_SITE:
                ends = tuple(int(model.site_bodyid[end]) for end in ends)
            if all(model.body_mocapid[end] < 0 for end in ends):
                word = "connect" if kind == kinds.mjEQ_CONNECT else "weld"
                reason = f"is in a loop that the equality {name} ({word}) closes"
                found.obstacles |= dict.fromkeys(_joints_between(model, ends), reason)
        elif kind == kinds.mjEQ_TENDON:
            for tendon in (end for end in ends if end >= 0):
                reason = f"is coupled by the equality {name} of a tendon"
                found.obstacles |= dict.fromkeys(_joints_of(model, tendon), reason)
    for tendon in range(model.ntendon):
        if model.tendon_limited[tendon]:
            reason = f"is coupled by the limits of the tendon '{model.tendon(tendon).name}'"
            found.obstacles |= dict.fromkeys(_joints_of(model, tendon), reason)
    return found


def _joint_equality(
    model: MjModel, i: int, name: str, joint_names: list[str], found: Couplings
) -> None:
    """Add the coupling of an equality: q1 - ref1 = a0 + a1 (q2 - ref2) + a2 (q2 - ref2)^2 ..."""
    follower, driver = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
    coefficients = np.array(model.eq_data[i, :5])
    own = float(model.qpos0[model.jnt_qposadr[follower]])
    if follower in found.mimics or follower in found.standing:
        found.obstacles[follower] = f"has several equalities, of which {name} is one"
    elif driver < 0:
        found.standing[follower] = own + float(coefficients[0])
    elif coefficients[2:].any():
        degree = int(np.flatnonzero(coefficients)[-1])
        found.obstacles[follower] = (
            f"follows '{joint_names[driver]}' by a polynomial of degree {degree} (equality {name})"
        )
    else:
        factor = float(coefficients[1])
        other = float(model.qpos0[model.jnt_qposadr[driver]])
        offset = own + float(coefficients[0]) - factor * other
        found.mimics[follower] = Mimic(joint_names[driver], factor, offset)


def _joints_of(model: MjModel, tendon: int) -> Iterator[int]:
    """Yield the joints that a tendon depends on."""
    wraps, bodies = mujoco_module().mjtWrap, []
    begin = model.tendon_adr[tendon]
    for wrap in range(begin, begin + model.tendon_num[tendon]):
        kind, part = wraps(model.wrap_type[wrap]), model.wrap_objid[wrap]
        if kind == wraps.mjWRAP_JOINT:
            yield int(part)
        elif kind == wraps.mjWRAP_SITE:
            bodies.append(int(model.site_bodyid[part]))
        elif kind in (wraps.mjWRAP_SPHERE, wraps.mjWRAP_CYLINDER):
            bodies.append(int(model.geom_bodyid[part]))
    yield from _joints_between(model, bodies)


def _joints_between(model: MjModel, bodies: Iterable[int]) -> Iterator[int]:
    """Yield the joints that move some bodies against each other."""
    above = []
    for body in dict.fromkeys(bodies):
        way = [body]
        while way[-1] > 0:
            way.append(int(model.body_parentid[way[-1]]))
        above.append(way)
    if not above:
        return
    common = set(above[0]).intersection(*above)
    for body in {body for way in above for body in way} - common:
        first = int(model.body_jntadr[body])
        yield from range(first, first + int(model.body_jntnum[body]))
