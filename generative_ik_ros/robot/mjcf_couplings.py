"""What equalities and tendons of a MuJoCo model make of its joints."""

from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.elements import Coupling, Loop, Mimic
from generative_ik_ros.robot.loop_types import loop_of
from generative_ik_ros.robot.mjcf_model import MjModel, frame_of, mujoco_module


@dataclass
class Couplings:
    """How joints depend on each other, by their index.

    Attributes:
        mimics: Joints that follow another.
        standing: Joints that are held at a position [rad or m].
        obstacles: Joints that are coupled in a way that is not supported, and how.
        loops: Loops of bodies that are closed.
        sums: Weighted sums of joint positions that are held or limited.
    """

    mimics: dict[int, Mimic] = field(default_factory=dict)
    standing: dict[int, float] = field(default_factory=dict)
    obstacles: dict[int, str] = field(default_factory=dict)
    loops: list[Loop] = field(default_factory=list)
    sums: list[Coupling] = field(default_factory=list)


def couplings_of(model: MjModel, joint_names: list[str], body_names: list[str]) -> Couplings:
    """Read the equalities and tendons of a model.

    An equality between joints with a linear polynomial is a mimic, `connect` and `weld` close
    loops, and fixed tendons hold or limit sums. What couples joints otherwise is an obstacle for
    these joints only. Inactive equalities and those with mocap bodies, by which users drag a
    robot in a simulator, are no part of it.

    Args:
        model: The `mujoco.MjModel`.
        joint_names: By index.
        body_names: Likewise.
    """
    kinds, found = mujoco_module().mjtEq, Couplings()
    for i in range(model.neq):
        if not model.eq_active0[i]:
            continue
        kind, name = kinds(model.eq_type[i]), model.eq(i).name or str(i + 1)
        if kind == kinds.mjEQ_JOINT:
            _joint_equality(model, i, f"'{name}'", joint_names, found)
        elif kind in (kinds.mjEQ_CONNECT, kinds.mjEQ_WELD):
            _loop(model, i, name, body_names, found)
        elif kind == kinds.mjEQ_TENDON:
            _tendon_equality(model, i, name, joint_names, found)
    for tendon in range(model.ntendon):
        if model.tendon_limited[tendon]:
            name = model.tendon(tendon).name
            factors, bounds = _factors(model, tendon, joint_names), model.tendon_range[tendon]
            if factors is None:
                reason = f"is coupled by the limits of the tendon '{name}'"
                found.obstacles |= dict.fromkeys(_joints_of(model, tendon), reason)
            else:
                found.sums.append(Coupling(name, factors, *map(float, bounds)))
    return found


def driven_joints(
    model: MjModel, joints: Container[str], tendons: Container[str]
) -> Iterator[int]:
    """Yield the joints of some names, and those that fixed tendons of some names act on."""
    yield from (i for i in range(model.njnt) if model.joint(i).name in joints)
    for tendon in range(model.ntendon):
        if model.tendon(tendon).name in tendons:
            yield from _joints_of(model, tendon)


def _loop(model: MjModel, i: int, name: str, body_names: list[str], found: Couplings) -> None:
    """Add the loop that an equality closes: a point of both bodies, or a frame of both, meets."""
    mujoco = mujoco_module()
    connects, data = model.eq_type[i] == mujoco.mjtEq.mjEQ_CONNECT, model.eq_data[i]
    bodies = ends = int(model.eq_obj1id[i]), int(model.eq_obj2id[i])
    if model.eq_objtype[i] == mujoco.mjtObj.mjOBJ_SITE:
        bodies = tuple(int(model.site_bodyid[end]) for end in ends)
        frames = [frame_of(model.site_pos[end], model.site_quat[end]) for end in ends]
    elif connects:
        frames = [frame_of(data[:3], _NO_TURN), frame_of(data[3:6], _NO_TURN)]
    else:
        frames = [frame_of(data[3:6], data[6:10]), frame_of(data[:3], _NO_TURN)]
    if any(model.body_mocapid[body] >= 0 for body in bodies) or bodies[0] == bodies[1]:
        return
    # A weld whose torques count nothing holds the point only.
    kind = "ball" if connects or data[10] == 0.0 else "fixed"
    links = body_names[bodies[0]], body_names[bodies[1]]
    found.loops.append(loop_of(kind, name, links, (frames[0], frames[1])))


_NO_TURN = np.array([1.0, 0.0, 0.0, 0.0])


def _tendon_equality(
    model: MjModel, i: int, name: str, joint_names: list[str], found: Couplings
) -> None:
    """Add the coupling of an equality: L1 - L1_0 = a0 + a1 (L2 - L2_0) + a2 (L2 - L2_0)^2 ..."""
    ends = [int(end) for end in (model.eq_obj1id[i], model.eq_obj2id[i]) if end >= 0]
    coefficients: Floats = np.array(model.eq_data[i, :5])
    each = [_factors(model, tendon, joint_names) for tendon in ends]
    if any(factors is None for factors in each) or (len(ends) > 1 and coefficients[2:].any()):
        reason = f"is coupled by the equality '{name}' of a tendon"
        for tendon in ends:
            found.obstacles |= dict.fromkeys(_joints_of(model, tendon), reason)
        return
    weights = (1.0, -float(coefficients[1]))
    total, length = {}, float(coefficients[0])
    for tendon, factors, weight in zip(ends, each, weights, strict=False):
        length += weight * float(model.tendon_length0[tendon])
        for joint, factor in factors or ():
            total[joint] = total.get(joint, 0.0) + weight * factor
    factors = tuple((joint, factor) for joint, factor in total.items() if factor)
    if factors:
        found.sums.append(Coupling(name, factors, length, length))


def _factors(
    model: MjModel, tendon: int, joint_names: list[str]
) -> tuple[tuple[str, float], ...] | None:
    """Return the joints of a fixed tendon and their coefficients; None for a spatial one."""
    begin = int(model.tendon_adr[tendon])
    wraps = range(begin, begin + int(model.tendon_num[tendon]))
    if any(model.wrap_type[wrap] != mujoco_module().mjtWrap.mjWRAP_JOINT for wrap in wraps):
        return None
    return tuple(
        (joint_names[int(model.wrap_objid[wrap])], float(model.wrap_prm[wrap])) for wrap in wraps
    )


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
