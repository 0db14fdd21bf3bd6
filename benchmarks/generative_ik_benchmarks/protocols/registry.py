"""The registry of protocols: the module and the purpose of each command of `evaluate`."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from generative_ik_benchmarks.protocol import Protocol

PROTOCOLS = {
    "reachability": (
        "reachability",
        "Share of random reachable poses that are solved, time of a call, nothing false.",
    ),
    "throughput": ("throughput", "Exact, distinct solutions a second, beside TRAC-IK."),
    "peers": (
        "peers",
        "Every solver at hand on the same poses: solved, distinct, time, coverage.",
    ),
    "border": (
        "border",
        "Poses at the border of the workspace: how many are lost, and what saying no costs.",
    ),
    "branches": (
        "branches",
        "Closed forms of six joints beside exhaustive search: missed, false, time.",
    ),
    "curves": (
        "curves",
        "A hundred solutions of seven joints: curves in closed form beside a search and ssik.",
    ),
    "seeded": (
        "seeded",
        "The solution nearest to a seed state: time, distance, beside solvers with a seed.",
    ),
    "trac-ik": (
        "trac_ik",
        "Protocol A, TRAC-IK's table: one solution, 1e-5, 5 ms, mean time with failures.",
    ),
    "convergence": ("convergence", "Iterations until seeds are exact, and the time of one."),
    "batches": (
        "batches",
        "Protocol B, batches of poses: success, time a batch, 90th percentile of the errors.",
    ),
    "generative": (
        "generative",
        "Protocol C, samples raw and refined: errors, limits, duplicates, discrepancy, branches.",
    ),
    "seed-value": (
        "seed_value",
        "Protocol D, what seeds are worth: distinct solutions and coverage within time budgets.",
    ),
    "seeds": ("seeds", "What seeds are worth in whole calls, and the most they could be worth."),
    "seeds-in-scenes": (
        "seeds_in_scenes",
        "What seeds that lead to free solutions could be worth among obstacles, in whole calls.",
    ),
    "hard-goals": (
        "hard_goals",
        "What seeds are and could be worth for several tips among obstacles, in whole calls.",
    ),
    "leave-one-out": (
        "leave_one_out",
        "Protocol E, zero-shot: every sampler on the robots that it was not trained for.",
    ),
    "cpp": ("cpp_calls", "Single calls from C++ beside those from Python: time, in turns."),
    "start": ("start_time", "Time from a process's start to its first solutions, beside numpy."),
    "scale": ("scale", "Time and memory of calls as joints, solutions, targets and cores grow."),
    "collisions": (
        "collisions",
        "Free solutions among obstacles, beside TRAC-IK and cuRobo; the check's time and truth.",
    ),
    "paths": (
        "paths",
        "Paths among obstacles: CppFlow's problems and variants, beside TRAC-IK and a graph.",
    ),
    "trees": (
        "trees",
        "Several tips at once: cuRobo's batches, both arms among obstacles, beside Pink.",
    ),
    "regions": (
        "regions",
        "Task space regions: solved, time, coverage of regions that were searched to exhaustion.",
    ),
    "preferences": (
        "preferences",
        "The best solution by manipulability, limits, clearance, beside the best of 10,000.",
    ),
    "reach": (
        "reach",
        "Reachability maps: poses a second beside TRAC-IK, growth, agreement with kinematics.",
    ),
    "tracking": (
        "tracking",
        "Trackers on courses at 1 kHz: time of a step, limits, tip error, flips, beside Pink.",
    ),
    "approximate": (
        "approximate",
        "Exact position, nearest orientation on arms of five joints, beside PlaCo and ikpy.",
    ),
    "robots": (
        "robots",
        "Every robot at hand: loads, limbs, closed form or search, solved, time.",
    ),
    "hands": (
        "hands",
        "Key points of a hand retargeted to a robot's fingers, beside dex-retargeting.",
    ),
    "unreachable": (
        "unreachable",
        "Protocol F, unreachable poses: false successes, time to reject, closest configuration.",
    ),
}


def load_protocol(name: str) -> "Protocol[Any, Any]":
    """Return one of `PROTOCOLS`.

    Raises:
        KeyError: There is no such protocol.
    """
    module, _ = PROTOCOLS[name]
    return import_module(f"generative_ik_benchmarks.protocols.{module}").PROTOCOL
