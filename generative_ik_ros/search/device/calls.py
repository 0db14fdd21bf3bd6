"""Which calls are faster on a device: measured once on a machine, and stored."""

import hashlib
import json
import math
import os
import time
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

from generative_ik_ros.collision.cache_files import read_file, write_file
from generative_ik_ros.refine.base import Refiner
from generative_ik_ros.refine.levenberg_marquardt import LevenbergMarquardt
from generative_ik_ros.request import SolveRequest, check_request
from generative_ik_ros.robot.random_poses import random_reachable_poses
from generative_ik_ros.search.device.engine import REFINER, Device, cuda_library
from generative_ik_ros.search.plan import SearchSource
from generative_ik_ros.search.run import search
from generative_ik_ros.search.stages import Stages

ONE, MANY, NEAR = "one", "many", "near"
"""Kinds of calls: for any one solution of each pose, with a seed state, and the others."""
_SIZES = (256, 1024, 4096, 16384, 65536)
"""Solutions wanted, all targets together, that are measured; calls for fewer use no device."""
_TURNS = 3
"""Calls of a size that are measured on each side, in turns, after one that is not."""
_LEAST_TIME = 0.05
"""Timeout below which a call uses none, which looks at the clock too seldom for it [s]."""
_WHERE = "cuda"
"""The device."""


def kind_of(request: SolveRequest) -> str:
    """Return the kind of a call."""
    if request.seed_state is not None:
        return NEAR
    return ONE if request.takes_any and request.check is None else MANY


class DeviceCalls:
    """Says which calls of a solver are made on its device.

    Args:
        stages: The search without a device.
        device: The device.
        at_once: Whether a call prepares it, if there is no time limit; else `prepare` must have.
    """

    def __init__(self, stages: Stages, device: Device, at_once: bool):
        """Nothing is measured yet."""
        self._stages, self._device, self._at_once = stages.without_branches, device, at_once
        self._ready = False

    def __reduce__(self) -> Any:  # noqa: ANN401 (pickle's)
        """What was measured and compiled holds for this process."""
        return DeviceCalls, (self._stages, self._device, self._at_once)

    def placed(self, stages: Stages, request: SolveRequest) -> Stages:
        """Return the stages of a call for poses, on the device if it takes the call."""
        size = request.num_targets * request.num_solutions
        if size < _SIZES[0] or stages.branches is not None or request.alternatives:
            return stages
        at_once = self._at_once and request.timeout == math.inf
        if request.timeout < _LEAST_TIME or not (self._ready or at_once):
            return stages
        self.prepare()
        takes = self._device.works and size >= self.least[kind_of(request)]
        return stages.on(self._device) if takes else stages

    def prepare(self) -> None:
        """Measure if nothing is stored, and compile what calls will need, if they pay."""
        if not self._ready and min(self.least.values()) < math.inf:
            self._device.prepare()
        self._ready = True

    @cached_property
    def least(self) -> dict[str, float]:
        """From how many solutions on calls pay, by their kind; inf for never."""
        about = self._about()
        if about is None:
            return dict.fromkeys((ONE, MANY, NEAR), math.inf)
        known = json.dumps(about, sort_keys=True)
        name = f"device-{hashlib.sha256(known.encode()).hexdigest()[:16]}.json"

        def parse(file: Path) -> dict[str, float] | None:
            return {kind: float(json.loads(file.read_text())[kind]) for kind in (ONE, MANY, NEAR)}

        if (least := read_file(name, parse)) is None:
            self._device.prepare()
            least = {kind: self._measured(kind) for kind in (ONE, MANY, NEAR)}
            write_file(name, json.dumps({**about, **least}, indent=1).encode())
        return least

    def _about(self) -> dict[str, Any] | None:
        """Return what a threshold depends on; None where there is no device after all."""
        import torch

        if (name := self._device.name) is None:
            return None
        joints = self._stages.chain.num_joints
        return {
            "device": name, "torch": torch.__version__, "cores": os.cpu_count(), "joints": joints
        }  # fmt: skip

    def _measured(self, kind: str) -> float:
        """Return from how many solutions on the device has been faster, from the most down."""
        sides, least = (self._stages, self._stages.on(self._device)), math.inf
        for size in reversed(_SIZES):
            request, spent = self._call(kind, size), [math.inf, math.inf]
            for turn in range(1 + _TURNS):
                for i, stages in enumerate(sides):
                    start = time.perf_counter()
                    search(SearchSource(stages), request, start)
                    if turn:
                        spent[i] = min(spent[i], time.perf_counter() - start)
            if not (spent[1] < spent[0] and self._device.works):
                break
            least = float(size)
        return least

    def _call(self, kind: str, size: int) -> SolveRequest:
        stages, chain = self._stages, self._stages.chain
        poses, wanted = (1, size) if kind == MANY else (size, 1)
        seed = stages.whole.reference if kind == NEAR else None
        targets = random_reachable_poses(chain, poses, 0)
        return check_request(
            chain, stages.whole, stages.distinct_distance, targets, wanted, seed, None, None, 0
        )


def on_host(refiner: type[Refiner]) -> type[Refiner]:
    """Return what refines the other seeds where a refiner has the first restarts of all calls."""
    return LevenbergMarquardt if refiner.name == REFINER else refiner


def with_device(stages: Stages, place: str, refiner: str) -> Stages:
    """Return the stages of calls that may be made on a device.

    Args:
        stages: Those of the search without one.
        place: "cpu", "cuda", or "auto" for CUDA where there is a device.
        refiner: With `REFINER` all calls are, on any device; else those that are faster on CUDA.
    """
    local = stages.refiner
    tolerances = local.position_tolerance, local.orientation_tolerance
    if refiner == REFINER:
        return stages.on(Device(stages.chain, tolerances, place))
    if place == "cpu" or not stages.inline or (place != _WHERE and not cuda_library()):
        return stages
    device = Device(stages.chain, tolerances, _WHERE)
    return replace(stages, device_calls=DeviceCalls(stages, device, place == "cuda"))
