"""The registry of protocols: the purpose of each command of `evaluate`, by its name.

The module of a protocol has the same name, with underscores.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from generative_ik_benchmarks.protocol import Protocol

PROTOCOLS = {
    "reachability": (
        "Share of random reachable poses that are solved, time of a call, nothing false."
    ),
    "throughput": "Exact, distinct solutions a second, beside TRAC-IK.",
    "peers": "Every solver at hand on the same poses: solved, distinct, time, coverage.",
    "border": "Poses at the border of the workspace: how many are lost, and what saying no costs.",
    "branches": "Closed forms of six joints beside exhaustive search: missed, false, time.",
    "curves": (
        "A hundred solutions of seven joints: curves in closed form beside a search and ssik."
    ),
    "seeded": "The solution nearest to a seed state: time, distance, beside solvers with a seed.",
    "trac-ik": "Protocol A, TRAC-IK's table: one solution, 1e-5, 5 ms, mean time with failures.",
    "convergence": "Iterations until seeds are exact, and the time of one.",
    "batches": (
        "Protocol B, batches of poses: success, time a batch, 90th percentile of the errors."
    ),
    "generative": (
        "Protocol C, samples raw and refined: errors, limits, duplicates, discrepancy, branches."
    ),
    "seed-value": (
        "Protocol D, what seeds are worth: distinct solutions and coverage within time budgets."
    ),
    "seeds": "What seeds are worth in whole calls, and the most they could be worth.",
    "seeds-in-scenes": (
        "What seeds that lead to free solutions could be worth among obstacles, in whole calls."
    ),
    "hard-goals": (
        "What seeds are and could be worth for several tips among obstacles, in whole calls."
    ),
    "leave-one-out": (
        "Protocol E, zero-shot: every sampler on the robots that it was not trained for."
    ),
    "cpp": "Single calls from C++ beside those from Python: time, in turns.",
    "start": "Time from a process's start to its first solutions, beside numpy.",
    "scale": "Time and memory of calls as joints, solutions, targets and cores grow.",
    "collisions": (
        "Free solutions among obstacles, beside TRAC-IK and cuRobo; the check's time and truth."
    ),
    "paths": "Paths among obstacles: CppFlow's problems and variants, beside TRAC-IK and a graph.",
    "trees": "Several tips at once: cuRobo's batches, both arms among obstacles, beside Pink.",
    "regions": (
        "Task space regions: solved, time, coverage of regions that were searched to exhaustion."
    ),
    "preferences": (
        "The best solution by manipulability, limits, clearance, beside the best of 10,000."
    ),
    "reach": (
        "Reachability maps: poses a second beside TRAC-IK, growth, agreement with kinematics."
    ),
    "tracking": (
        "Trackers on courses at 1 kHz: time of a step, limits, tip error, flips, beside Pink."
    ),
    "approximate": (
        "Exact position, nearest orientation on arms of five joints, beside PlaCo and ikpy."
    ),
    "robots": "Every robot at hand: loads, limbs, closed form or search, solved, time.",
    "hands": "Key points of a hand retargeted to a robot's fingers, beside dex-retargeting.",
    "unreachable": (
        "Protocol F, unreachable poses: false successes, time to reject, closest configuration."
    ),
}


def load_protocol(name: str) -> "Protocol[Any, Any]":
    """Return one of `PROTOCOLS`.

    Raises:
        KeyError: There is no such protocol.
    """
    if name not in PROTOCOLS:
        raise KeyError(name)
    return import_module(f"{__package__}.{name.replace('-', '_')}").PROTOCOL
