"""Pairs of links that need no check: those that sampling finds to collide never or always."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations
from pathlib import Path

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.body import CollisionLink, Pairs
from generative_ik_ros.collision.cache_files import read_file, write_file
from generative_ik_ros.collision.exact import EXACT_CHECKER, ExactChecker
from generative_ik_ros.collision.frames import MovingFrames
from generative_ik_ros.collision.placement import Parts
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.collision.stored import digest
from generative_ik_ros.collision.verdict import Verdict
from generative_ik_ros.robot.description import RobotDescription
from generative_ik_ros.robot.elements import Joint
from generative_ik_ros.robot.tree import link_transforms

FORMAT = 1
"""To be raised when pairs are found in another way."""


@dataclass(frozen=True)
class Sampling:
    """How pairs of links that need no check are found."""

    samples: int = 10_000
    """Configurations in none of which a pair may come close, for it to be left out."""
    close: float = 0.1
    """How near that is [m]: samples seldom hit the few configurations in which small parts
    touch."""
    few: int = 1000
    """Configurations by which a pair is found to collide always."""
    always: float = 0.95
    """Share of them in which it must."""
    rounds: tuple[int, ...] = (100, few, samples)
    """Pairs that have come close once need no more samples, and most of them do so early."""
    seed: int = 20070621
    """Of the samples."""


SAMPLING = Sampling()


_known: dict[str, Pairs] = {}


def unneeded_pairs(
    robot: RobotDescription, links: Sequence[CollisionLink], joined: Pairs
) -> Pairs:
    """Return the pairs of links that need no check, after MoveIt's setup assistant.

    All joints of the robot are sampled between their limits, the same way each time. A pair is
    left out if its links are joined, if in no sample they come so close that spheres around them
    touch, or if they collide in nearly all samples: those are links that overlap where they meet.

    Args:
        robot: Its description.
        links: Those that have shapes.
        joined: Pairs of links that a joint joins.
    """
    key = _key(robot, links)
    if key not in _known:
        names = [link.name for link in links]
        found = read_file(f"{key}.json", partial(_read, names=names))
        if found is None:
            found = _sampled(robot, links, joined)
            indices = sorted(sorted(map(names.index, pair)) for pair in found)
            write_file(f"{key}.json", json.dumps(indices).encode())
        _known[key] = found
    return _known[key] | joined


def _key(robot: RobotDescription, links: Sequence[CollisionLink]) -> str:
    """Return a text that names everything that the result depends on."""
    parts = [str(FORMAT), str(ExactChecker.available()), robot.root]
    for joint in robot.joints:
        numbers = (*joint.child_in_parent.ravel(), *joint.axis, joint.lower, joint.upper)
        texts = (joint.name, joint.type, joint.parent, joint.child, repr(joint.mimic))
        parts += [*texts, *map(float.hex, map(float, numbers))]
    for link in links:
        parts += [link.name, link.parent, digest(link.shapes), link.padding.hex()]
    for loop in robot.loops:  # which joins links, too
        parts += loop.links
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()


def _read(file: Path, names: Sequence[str]) -> Pairs | None:
    """Return the pairs in a file, or None if it holds something else."""
    pairs = json.loads(file.read_text())
    if not all(len(pair) == 2 and 0 <= pair[0] < pair[1] < len(names) for pair in pairs):
        return None
    return frozenset(frozenset((str(names[i]), str(names[j]))) for i, j in pairs)


def _sampled(robot: RobotDescription, links: Sequence[CollisionLink], joined: Pairs) -> Pairs:
    """Return the pairs that collide never or always."""
    variables = _variables(robot)
    frames = MovingFrames.of(robot, [joint.name for joint in variables], {})
    low, high = np.array([_range(joint) for joint in variables]).reshape(-1, 2).T
    rng = np.random.default_rng(SAMPLING.seed)
    samples = rng.uniform(low, high, (SAMPLING.samples, len(variables)))
    wide = [replace(link, padding=link.padding + SAMPLING.close / 2.0) for link in links]
    left, often, start = _every(links) - joined, set(), 0
    for end in SAMPLING.rounds:
        left -= (close := _close(wide, frames, left, samples[start:end])).keys()
        if start == 0:
            often = {
                pair for pair, near in close.items() if len(near) >= 0.8 * SAMPLING.always * end
            }
        start = end
    return frozenset(left) | _always(robot, links, frames, often, samples[: SAMPLING.few])


def _every(links: Sequence[CollisionLink]) -> set[frozenset[str]]:
    """Return all pairs of links."""
    return {frozenset((a.name, b.name)) for a, b in combinations(links, 2)}


def _variables(robot: RobotDescription) -> list[Joint]:
    """Return the joints that move by themselves."""
    return [joint for joint in robot.joints if joint.moves and joint.mimic is None]


def _range(joint: Joint) -> tuple[float, float]:
    """Return the positions that are sampled: a turn, or 1 m each way, where there is no limit."""
    far = 1.0 if joint.type == "prismatic" else np.pi
    low = joint.lower if np.isfinite(joint.lower) else min(-far, joint.upper - far)
    high = joint.upper if np.isfinite(joint.upper) else max(far, joint.lower + far)
    return (low, high) if low <= high else (high, low)


def _close(
    links: Sequence[CollisionLink],
    frames: MovingFrames,
    pairs: set[frozenset[str]],
    samples: Floats,
) -> dict[frozenset[str], list[tuple[int, int]]]:
    """Return in which samples the spheres of pairs touch, and the verdicts."""
    parts = Parts.of(links, frames, Scene(), unchecked=frozenset(_every(links) - pairs))
    world = parts.world()
    close: dict[frozenset[str], list[tuple[int, int]]] = {}
    for k, q in enumerate(samples):
        for i, j, one in world.contacts(q)[0].tolist():
            pair = frozenset(part.name for part in parts.named(i, j))
            close.setdefault(pair, []).append((k, one))
    return close


def _always(
    robot: RobotDescription,
    links: Sequence[CollisionLink],
    frames: MovingFrames,
    pairs: set[frozenset[str]],
    samples: Floats,
) -> Pairs:
    """Return the pairs that collide in nearly all samples, by the shapes themselves."""
    if not pairs:
        return frozenset()
    exact = EXACT_CHECKER if ExactChecker.available() else None
    named = {link.name: link for link in links}
    values = {j.name: x for j, x in zip(_variables(robot), samples.T, strict=True)}
    poses = link_transforms(robot, values, robot.root) if exact else {}
    always = set()
    for pair, near in _close(links, frames, pairs, samples).items():
        one, other = (named[name] for name in sorted(pair))
        margin, hits, misses = one.padding + other.padding, 0, len(samples) - len(near)
        for k, verdict in near:
            # Without coal, what spheres cannot tell collides, here as in checks.
            hit = verdict != Verdict.UNDECIDED or exact is None or exact.collide(
                one.shapes, poses[one.parent][k], other.shapes, poses[other.parent][k], margin
            )  # fmt: skip
            hits, misses = hits + hit, misses + (not hit)
            if misses > (1.0 - SAMPLING.always) * len(samples):
                break
        if hits >= SAMPLING.always * len(samples):
            always.add(pair)
    return frozenset(always)
