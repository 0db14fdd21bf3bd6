"""Reference files for the C++ tests: chain data with the kinematics computed by pinocchio.

The chain data are read from the XML by code shared with neither the package nor pinocchio.
"""

import xml.etree.ElementTree as ElementTree
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from real_robots import PinocchioChain

from generative_ik_ros import IKSolver, KinematicChain, TaskSpaceRegion, load_robot
from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.closed_form import find_family

PRISMATIC_AND_MIMIC = """<robot name="mixed">
  <link name="base"/><link name="a"/><link name="b"/><link name="c"/><link name="d"/>
  <link name="tip"/>
  <joint name="rail" type="prismatic"><parent link="base"/><child link="a"/>
    <origin xyz="0.1 0.2 0.3" rpy="0.4 -0.5 0.6"/><axis xyz="1 2 -1"/>
    <limit lower="-0.5" upper="0.7" effort="1" velocity="1"/></joint>
  <joint name="turn" type="continuous"><parent link="a"/><child link="b"/>
    <origin xyz="0 0.1 0.2" rpy="1.2 0 0.3"/><axis xyz="0 0 1"/></joint>
  <joint name="follower" type="revolute"><parent link="b"/><child link="c"/>
    <origin xyz="0.3 0 0" rpy="0 0.7 0"/><axis xyz="0 1 0"/>
    <limit lower="-9" upper="9" effort="1" velocity="1"/>
    <mimic joint="elbow" multiplier="-0.7" offset="0.2"/></joint>
  <joint name="elbow" type="revolute"><parent link="c"/><child link="d"/>
    <origin xyz="0.25 0.05 0" rpy="0 0 0"/><axis xyz="0 -1 0.5"/>
    <limit lower="-2" upper="2.5" effort="1" velocity="1"/></joint>
  <joint name="flange" type="fixed"><parent link="d"/><child link="tip"/>
    <origin xyz="0.05 0 0.15" rpy="0.1 0.2 0.3"/></joint>
</robot>"""

BRANCHED = """<robot name="branched">
  <link name="root"/><link name="body"/><link name="left"/><link name="left_tip"/>
  <link name="right"/><link name="right_tip"/><link name="hand"/><link name="finger"/>
  <joint name="lift" type="prismatic"><parent link="root"/><child link="body"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 0 1"/>
    <limit lower="0" upper="0.4" effort="1" velocity="0.2"/></joint>
  <joint name="wide" type="revolute"><parent link="body"/><child link="left"/>
    <origin xyz="0 0.2 0.1" rpy="0.1 0 0"/><axis xyz="0 2 0"/>
    <limit lower="-1e16" upper="1e16" effort="1" velocity="3"/></joint>
  <joint name="left_mount" type="fixed"><parent link="left"/><child link="left_tip"/>
    <origin xyz="0.3 0 0" rpy="0 0.2 0"/></joint>
  <joint name="fast" type="revolute"><parent link="body"/><child link="right"/>
    <origin xyz="0 -0.2 0.1" rpy="-0.1 0 0.4"/><axis xyz="1 1 0"/>
    <limit lower="-1" upper="1.2" effort="1" velocity="2"/>
    <mimic joint="drive" multiplier="-2" offset="0.1"/></joint>
  <joint name="right_mount" type="fixed"><parent link="right"/><child link="right_tip"/>
    <origin xyz="0.3 0 0"/></joint>
  <joint name="drive" type="revolute"><parent link="left"/><child link="hand"/>
    <origin xyz="0.1 0 0.1"/><axis xyz="0 0 -1"/>
    <limit lower="-2" upper="2" effort="1" velocity="4"/></joint>
  <joint name="pinch" type="revolute"><parent link="hand"/><child link="finger"/>
    <origin xyz="0 0.1 0"/><axis xyz="1 0 0"/>
    <limit lower="-0.5" upper="0.5" effort="1" velocity="0"/>
    <mimic joint="fast" multiplier="0.25"/></joint>
</robot>"""
"""Two arms; a joint without limits, mimics of mimics, drivers that are not on the way."""

_BOUNDED = (
    TaskSpaceRegion.cone("z", 0.4),
    TaskSpaceRegion.position_only(),
    *(
        TaskSpaceRegion(np.array(lower), np.array(upper))
        for lower, upper in (
            ([0, 0, -0.2, 0, 0, 0], [0, 0, 0.1, 0, 0, 0]),
            ([-0.1, 0, 0, -0.3, -0.2, -1], [0.1, 0.05, 0, 0.3, 0.4, 0.5]),
            ([0, 0, 0, -0.5, 0, 0], [0, 0, 0, 0.5, 0, 0]),
        )
    ),
)

_MOVING = ("revolute", "continuous", "prismatic")


def write(urdf: str, base_link: str, tip_link: str, count: int, file: Path) -> None:
    """Write the chain between two links, and its kinematics at `count` random configurations."""
    variables, names = _variables(_path(urdf, base_link, tip_link))
    words = [*_chain(urdf, base_link, tip_link), "configurations", count]
    arm = PinocchioChain(urdf, base_link, tip_link)

    rng = np.random.default_rng(0)
    bounds = np.array([_limits(joint) for joint in variables])
    bounds = np.where(np.isfinite(bounds), bounds, [-np.pi, np.pi])
    for q in rng.uniform(bounds[:, 0], bounds[:, 1], (count, len(names))):
        pose, jacobian = arm.tip_in_base(names, q), arm.jacobian(names, q)
        words += [*q, *pose[:3].flat, *jacobian.flat]
    file.write_text("\n".join(_word(word) for word in words))


def _variables(path: list[ElementTree.Element]) -> tuple[list[ElementTree.Element], list[str]]:
    """Return the joints of a path that move by themselves, and their names."""
    moving = [joint for joint in path if joint.get("type") in _MOVING]
    variables = [joint for joint in moving if joint.find("mimic") is None]
    return variables, [joint.get("name", "") for joint in variables]


def _chain(urdf: str, base_link: str, tip_link: str) -> list[object]:
    """Return the words of the chain between two links."""
    path = _path(urdf, base_link, tip_link)
    variables, names = _variables(path)
    moving = sum(joint.get("type") in _MOVING for joint in path)
    words: list[object] = ["chain", len(variables), moving]
    for joint in variables:
        lower, upper = _limits(joint)
        continuous, revolute = joint.get("type") == "continuous", joint.get("type") != "prismatic"
        words += [joint.get("name"), lower, upper, int(continuous), int(revolute)]

    gathered = np.eye(4)
    for joint in path:
        gathered = gathered @ _origin(joint)
        if joint.get("type") not in _MOVING:
            continue
        name, multiplier, offset = _follows(joint)
        kind = "prismatic" if joint.get("type") == "prismatic" else "revolute"
        axis = _numbers(joint, "axis", "xyz", "1 0 0")
        words += [kind, names.index(name), multiplier, offset, *axis, *gathered[:3].flat]
        gathered = np.eye(4)
    return [*words, *gathered[:3].flat]


def _ranges(chain: KinematicChain) -> tuple[Floats, Floats]:
    """Return the lower and the upper limits of joints, those of a turn where they have none."""
    ends = ((-np.pi, chain.lower), (np.pi, chain.upper))
    lower, upper = (np.where(chain.continuous, turn, limit) for turn, limit in ends)
    return lower, upper


def write_searches(urdf: str, base_link: str, tip_link: str, count: int, file: Path) -> None:
    """Write a chain, and `count` poses with what `IKSolver` finds for them.

    C++ has the closed forms of six joints; those of seven with one locked it asks only without a
    seed state, and for the one solution nearest to one.

    Every third pose is moved, most of these out of reach. core/test/same_search_test.cpp says what
    is written.
    """
    chain = KinematicChain.from_urdf(urdf, base_link, tip_link)
    n, rng = chain.num_joints, np.random.default_rng(1)
    answered = find_family(chain) is not None
    solver = IKSolver(chain, "auto" if answered else "quasi_random")
    closed_forms = IKSolver(chain)
    lower, upper = _ranges(chain)
    # A search finds one of several full turns.
    turns = (chain.periodic & ~chain.continuous & (upper - lower > 2.0 * np.pi)).any()
    words = [*_chain(urdf, base_link, tip_link), "queries", count]
    for i in range(count):
        q, seed = rng.uniform(lower, upper, (2, n))
        if i % 4 == 3:
            q = np.clip(seed + rng.uniform(-0.1, 0.1, n), lower, upper)
        pose, wanted = chain.forward(q), 10 if i // 3 % 2 and not turns else 1
        around, limited = i % 5 > 1, i % 4 == 3
        if i % 3 == 2:
            pose[:3, 3] += rng.normal(0.0, 0.3 * chain.characteristic_length, 3)
        limits = np.full(n, 0.15)
        nearest = wanted == 1 and (around or limited)
        all_over = not (around or limited)
        found = (closed_forms if nearest or all_over else solver).solve(
            pose, wanted, seed_state=seed if around or limited else None,
            consistency_limits=limits if limited else None,
        )  # fmt: skip
        solutions = found.of(0)[: 0 if turns and not answered else None]
        words += [wanted, int(around or limited), *seed, int(limited), *limits, *pose[:3].flat]
        words += [int(found.status[0]), len(solutions), *solutions.flat]
    file.write_text("\n".join(_word(word) for word in words))


def write_searches_within_regions(urdf: str, base_link: str, tip_link: str, file: Path) -> None:
    """Write a chain, and what `IKSolver` finds within regions of several kinds about poses.

    Seven of ten ask for what is anywhere, one of these with another random seed; the others for
    what is nearest to a seed state. core/test/same_search_test.cpp says what is written.
    """
    chain = KinematicChain.from_urdf(urdf, base_link, tip_link)
    n, rng, solver = chain.num_joints, np.random.default_rng(3), IKSolver(chain)
    lower, upper = _ranges(chain)
    # A search finds one of several full turns.
    turns = (chain.periodic & ~chain.continuous & (upper - lower > 2.0 * np.pi)).any()
    regions = [*(TaskSpaceRegion.free_axis(axis) for axis in "xyz"), *_BOUNDED]
    queries = [(region, i) for i in range(10) for region in regions]
    words = [*_chain(urdf, base_link, tip_link), "queries", len(queries)]
    for region, i in queries:
        q, seed = rng.uniform(lower, upper, (2, n))
        pose, wanted, around = chain.forward(q), (1, 2, 20)[i % 3], i >= 7
        random_seed = 5 * (i == 6)
        found = solver.solve(
            pose, wanted, seed_state=seed if around else None, random_seed=random_seed,
            region=region,
        )  # fmt: skip
        searched = around or random_seed or solver._within(((region,),)).curves is None
        solutions = found.of(0)[: 0 if turns and searched else None]
        axis = -1 if region.cone_axis is None else "xyz".index(region.cone_axis)
        words += [*region.lower, *region.upper, axis, region.half_angle, wanted, int(around)]
        words += [*seed, random_seed, *pose[:3].flat]
        words += [int(found.status[0]), len(solutions), *solutions.flat]
    file.write_text("\n".join(_word(word) for word in words))


def write_closed_forms(chains: Iterable[KinematicChain], count: int, file: Path) -> None:
    """Write the closed forms of chains of six joints, and random configurations with their poses.

    core/test/arms.hpp says what is written.
    """
    words: list[object] = []
    rng = np.random.default_rng(0)
    for chain in chains:
        family = find_family(chain)
        assert family is not None
        words += [family.kernel.name, len(family.parameters), *family.parameters.tolist(), count]
        for q in rng.uniform(-2.9, 2.9, (count, chain.num_joints)):
            words += [*q.tolist(), *chain.forward(q).ravel().tolist()]
    file.write_text("\n".join(_word(word) for word in words))


def write_urdfs(folder: Path) -> None:
    """Write descriptions, and the chains that `KinematicChain` cuts out of them.

    core/test/urdf_test.cpp says what is written.
    """
    Case = tuple[str | None, str | None, dict[str, float]]
    cases: dict[str, list[Case]] = {"mixed": [(None, None, {}), ("tip", "base", {})]}
    cases["branched"] = [
        ("left_tip", "right_tip", {}), ("root", "left_tip", {"drive": 0.3}),
        ("right_tip", "root", {"lift": 0.1}), ("root", "finger", {}),
    ]  # fmt: skip
    described = {"mixed": PRISMATIC_AND_MIMIC, "branched": BRANCHED}
    robots = Path(__file__).parents[2] / "config" / "robots"
    for file in sorted(robots.glob("*.urdf")):
        described[file.stem], chain = file.read_text(), load_robot(file.stem)
        ends = chain.base_link, chain.tip_link
        cases[file.stem] = [(*ends, {}), (*ends[::-1], {})]
        if file.stem != "panda":  # it has fingers
            cases[file.stem].append((None, None, {}))
    rng = np.random.default_rng(2)
    for name, urdf in described.items():
        words: list[object] = ["cases", len(cases[name])]
        for base, tip, fixed in cases[name]:
            words += [base or "-", tip or "-", len(fixed)]
            words += [word for pair in fixed.items() for word in pair]
            words += _cut(KinematicChain.from_urdf(urdf, base, tip, fixed=fixed), rng)
        (folder / f"{name}.urdf").write_text(urdf)
        (folder / f"{name}.cases").write_text("\n".join(_word(word) for word in words))


def _cut(chain: KinematicChain, rng: np.random.Generator) -> list[object]:
    """Return the words of what `KinematicChain` makes of a chain, with 20 poses of it."""
    words: list[object] = [chain.base_link, chain.tip_link, chain.num_joints]
    for row in zip(
        chain.names, chain.lower, chain.upper, chain.continuous, chain.velocity_limits, strict=True
    ):
        words += [row[0], float(row[1]), float(row[2]), int(row[3]), float(row[4])]
    words.append(20)
    for q in rng.uniform(*_ranges(chain), (20, chain.num_joints)):
        words += [*q.tolist(), *chain.forward(q)[:3].ravel().tolist()]
    return words


def write_shifts(file: Path) -> None:
    """Write what numpy draws for some random seeds: seed, dimensions, numbers from 0 to 1."""
    words: list[object] = []
    for random_seed, dimensions in ((0, 1), (0, 7), (1, 6), (2**31 + 5, 3), (2**63 - 1, 9)):
        words += [random_seed, dimensions]
        words += np.random.default_rng(random_seed).random(dimensions).tolist()
    file.write_text("\n".join(_word(word) for word in words))


def _word(value: object) -> str:
    return repr(float(value)) if isinstance(value, float) else str(value)


def _path(urdf: str, base_link: str, tip_link: str) -> list[ElementTree.Element]:
    by_child = {}
    for joint in ElementTree.fromstring(urdf).findall("joint"):
        child = joint.find("child")
        assert child is not None
        by_child[child.get("link")] = joint
    path, link = [], tip_link
    while link != base_link:
        path.insert(0, by_child[link])
        parent = path[0].find("parent")
        assert parent is not None
        link = parent.get("link", "")
    return path


def _numbers(joint: ElementTree.Element, tag: str, key: str, default: str) -> list[float]:
    element = joint.find(tag)
    text = default if element is None else element.get(key, default)
    return [float(word) for word in text.split()]


def _limits(joint: ElementTree.Element) -> tuple[float, float]:
    if joint.get("type") == "continuous":
        return -np.inf, np.inf
    return _numbers(joint, "limit", "lower", "0")[0], _numbers(joint, "limit", "upper", "0")[0]


def _follows(joint: ElementTree.Element) -> tuple[str, float, float]:
    """Return the joint that drives a joint, with multiplier and offset."""
    mimic = joint.find("mimic")
    if mimic is None:
        return joint.get("name", ""), 1.0, 0.0
    multiplier, offset = mimic.get("multiplier", "1"), mimic.get("offset", "0")
    return mimic.get("joint", ""), float(multiplier), float(offset)


def _origin(joint: ElementTree.Element) -> NDArray[np.float64]:
    roll, pitch, yaw = _numbers(joint, "origin", "rpy", "0 0 0")
    (sr, sp, sy), (cr, cp, cy) = np.sin([roll, pitch, yaw]), np.cos([roll, pitch, yaw])
    pose = np.eye(4)
    pose[:3, 3] = _numbers(joint, "origin", "xyz", "0 0 0")
    pose[:3, :3] = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return pose
