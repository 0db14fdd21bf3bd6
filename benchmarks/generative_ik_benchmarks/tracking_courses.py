"""Courses of tips for trackers: what their targets do, step by step."""

from collections.abc import Callable

import numpy as np

from generative_ik_ros.array_types import Floats
from generative_ik_ros.robot.kinematic_tree import Kinematics

Poses = Floats
Course = Callable[[Kinematics, Floats, Floats], Poses]
"""Returns poses (N, K, 4, 4) of K tips at times (N,) [s], from a configuration (n,) at rest."""


def start_of(chain: Kinematics) -> Floats:
    """Return a configuration (n,) away from limits and singularities of most arms."""
    bend = np.array([0.2, -0.6, 0.3, -1.4, 0.3, 1.3, 0.4, -0.5, 0.5])
    q = np.resize(bend, chain.num_joints)
    room = 0.1 * np.minimum(chain.upper - chain.lower, 10.0)
    return np.clip(q, chain.lower + room, chain.upper - room)


def _eased(times: Floats, seconds: float = 2.0) -> Floats:
    """Return times that begin at rest and run on as they do after some seconds."""
    return np.where(times < seconds, times**2 / (2.0 * seconds), times - 0.5 * seconds)


def _tips(chain: Kinematics, q: Floats) -> Poses:
    """Return the poses (..., K, 4, 4) of the tips for configurations (..., n)."""
    return chain.forward(q).reshape(*q.shape[:-1], -1, 4, 4)


def _shifted(home: Poses, shifts: Floats) -> Poses:
    """Return poses (K, 4, 4) moved by shifts (N, 3), or (N, K, 3) of each tip."""
    poses = np.repeat(home[None], len(shifts), axis=0)
    poses[..., :3, 3] += shifts.reshape(len(shifts), -1, 3)
    return poses


def circle(chain: Kinematics, q: Floats, times: Floats) -> Poses:
    """A circle of 0.1 of the reach at 0.2 Hz."""
    phase, size = 0.4 * np.pi * _eased(times), 0.1 * chain.reach
    shifts = size * np.stack([np.cos(phase) - 1.0, np.sin(phase), 0.0 * phase], axis=1)
    return _shifted(_tips(chain, q), shifts)


def eight(chain: Kinematics, q: Floats, times: Floats) -> Poses:
    """A figure of eight at 0.2 Hz."""
    phase, size = 0.4 * np.pi * _eased(times), 0.1 * chain.reach
    shifts = size * np.stack([0.0 * phase, np.sin(phase), 0.5 * np.sin(2.0 * phase)], axis=1)
    return _shifted(_tips(chain, q), shifts)


def hand(chain: Kinematics, q: Floats, times: Floats) -> Poses:
    """Sums of sines up to 2 Hz whose amplitudes fall with the frequency, as a hand moves."""
    rng, shifts = np.random.default_rng(0), np.zeros((len(times), 3))
    for rate in (0.15, 0.3, 0.6, 1.0, 2.0):
        wave = np.sin(2.0 * np.pi * rate * _eased(times))
        shifts += wave[:, None] * rng.normal(size=3) * 0.01 * chain.reach / rate
    return _shifted(_tips(chain, q), shifts)


def singular(chain: Kinematics, q: Floats, times: Floats) -> Poses:
    """A swing in which all joints but the first pass 0, where most arms are singular."""
    swing = 0.5 * (1.0 - np.cos(0.5 * _eased(times)))[:, None]
    aim = np.clip(-0.3 * q, chain.lower, chain.upper)
    aim[0] = q[0]
    return _tips(chain, q + swing * (aim - q))


def reach(chain: Kinematics, q: Floats, times: Floats) -> Poses:
    """Out of reach and back."""
    out = 0.6 * chain.reach * np.sin(0.4 * _eased(times)) ** 2
    home = _tips(chain, q)
    places = home[:, :3, 3]
    way = places / np.linalg.norm(places, axis=1, keepdims=True)
    return _shifted(home, out[:, None, None] * way)


def limits(chain: Kinematics, q: Floats, times: Floats) -> Poses:
    """A swing in which the second joint goes 0.3 rad beyond its limit."""
    path = np.repeat(q[None], len(times), axis=0)
    beyond = np.minimum(chain.upper[1], 3.0) + 0.3 - q[1]
    path[:, 1] += 0.5 * beyond * (1.0 - np.cos(0.5 * _eased(times)))
    return _tips(chain, path)


def jumps(chain: Kinematics, q: Floats, times: Floats) -> Poses:
    """A jump to a pose nearby every 1.5 s."""
    rng, count = np.random.default_rng(1), int(times[-1] / 1.5) + 1
    goals = np.clip(q + rng.uniform(-0.5, 0.5, (count, len(q))), chain.lower, chain.upper)
    return _tips(chain, goals)[np.minimum((times / 1.5).astype(int), count - 1)]


COURSES: dict[str, Course] = {
    "circle": circle,
    "figure of eight": eight,
    "hand": hand,
    "through singularities": singular,
    "along a limit": limits,
    "out of reach": reach,
    "jumps": jumps,
}
