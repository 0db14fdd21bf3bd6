"""Fuzz target: files of weights."""

import json
import os
import tempfile
from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
import torch
from fuzz_mutate import NASTY, mutated_bytes, pick

from generative_ik_ros.drawing.start import bent_configuration
from generative_ik_ros.errors import GenerativeIKError
from generative_ik_ros.learned.checkpoint import (
    METADATA_KEY,
    Checkpoint,
    digest_of,
    save_checkpoint,
    weights_path,
)
from generative_ik_ros.learned.distal import net as distal
from generative_ik_ros.learned.distal.config import DistalConfig
from generative_ik_ros.learned.ggik import weights as ggik
from generative_ik_ros.learned.ggik.config import LatentConfig
from generative_ik_ros.learned.ggik.latent.model import LatentModel
from generative_ik_ros.learned.ikflow import weights as ikflow
from generative_ik_ros.learned.ikflow.flow import ConditionalFlow
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.pipeline import IKSolver
from generative_ik_ros.robot.known import load_robot

_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 255, 256, 257, 4096, 65536, 65537, 2**31, 2**63, 2**70,
    1e308, -1e308, 1e-320, 0.5, 1.0, float("nan"), float("inf"), [], {}, [[]],
    {"a": 1}, [0], [None], "x",
    [True] * 300, [[0, 1]] * 300, *NASTY[:12],
)  # fmt: skip


class Weights:
    """Files of weights of all learned samplers: damaged, or well-formed with invalid content."""

    def prepare(self) -> None:
        """Write a small untrained model of each kind."""
        torch.manual_seed(0)
        torch.set_num_threads(1)
        self._folder = Path(tempfile.mkdtemp())
        self._chain = chain = load_robot("planar_3r")
        self._target = chain.forward(bent_configuration(chain))
        self._checkpoints = [
            _flow(chain, "spline"), _flow(chain, "coupling"), _distal(chain, 1), _distal(chain, 2),
            *(_ggik(network) for network in ("egnn", "gat")),
        ]  # fmt: skip
        self._files = []
        for number, checkpoint in enumerate(self._checkpoints):
            path = self._folder / f"{number}.safetensors"
            save_checkpoint(path, checkpoint)
            self._files.append(path.read_bytes())
        os.environ["GENERATIVE_IK_WEIGHTS"] = str(self._folder)
        self._use()

    def case(self, rng: np.random.Generator) -> bytes:
        """Return the content of a file, preceded by a byte for the index of its sampler."""
        number = int(rng.integers(len(self._files)))
        data = self._files[number]
        if rng.random() < 0.4:
            header = 8 + int.from_bytes(data[:8], "little")
            return bytes([number]) + mutated_bytes(rng, data, header)
        return bytes([number]) + _with_invalid_content(rng, self._checkpoints[number])

    def run(self, case: bytes, rng: np.random.Generator) -> str:
        """Place the file where the sampler looks for it, and solve with it.

        Meaningless weights need not be refused: they may propose any seeds, because every
        solution is refined and verified by code that does not depend on them.
        """
        path = self._place(self._checkpoints[case[0]])
        path.write_bytes(case[1:])
        try:
            return self._solve(self._checkpoints[case[0]].sampler, int(rng.integers(100)))
        except GenerativeIKError as error:
            return type(error).__name__

    def _place(self, checkpoint: Checkpoint) -> Path:
        """Return the path at which a sampler looks for its weights."""
        if checkpoint.sampler == ggik.NAME:
            path = ggik.model_path(self._folder, {})
        else:
            path = weights_path(self._folder, checkpoint.sampler, checkpoint.fingerprint)
        path.parent.mkdir(exist_ok=True)
        return path

    def _solve(self, sampler: str, random_seed: int) -> str:
        solver = IKSolver(self._chain, sampler)
        found = solver.solve(self._target, 4, timeout=1.0, random_seed=random_seed).of(0)
        gap = self._chain.forward(found)[:, :3, 3] - self._target[:3, 3]
        assert (np.linalg.norm(gap, axis=1) <= 1.1e-5).all(), "a solution is false"
        lower, upper = self._chain.lower, self._chain.upper
        assert (found >= lower).all() and (found <= upper).all(), "a solution is outside"
        return "loaded, solved" if len(found) else "loaded, no solution"

    def _use(self) -> None:
        """Check that the unmodified files work."""
        for checkpoint, content in zip(self._checkpoints, self._files, strict=True):
            self._place(checkpoint).write_bytes(content)
            outcome = self._solve(checkpoint.sampler, 0)
            assert outcome == "loaded, solved", f"{checkpoint.sampler}: {outcome}"


def _flow(chain: Any, kind: str) -> Checkpoint:  # noqa: ANN401
    config = ikflow.config_for(
        chain, kind=kind, layers=3, width=4, hidden=8, hidden_layers=1, condition_hidden=8
    )
    return ikflow.to_checkpoint(config, ConditionalFlow(config).state_dict(), chain, {"steps": 0})


def _distal(chain: Any, members: int) -> Checkpoint:  # noqa: ANN401
    config = DistalConfig(joints=chain.num_joints, members=members, hidden=8, layers=1)
    net = distal.DistalNet(config, JointBox.of(chain))
    return distal.to_checkpoint(config, dict(net.named_parameters()), chain, {"steps": 0})


def _ggik(network: str) -> Checkpoint:
    config = LatentConfig(
        network=network, hidden=8, encoder_layers=1, decoder_layers=1, latent=2, components=2
    )
    return ggik.to_checkpoint(config, LatentModel(config).state_dict(), {}, {"steps": 0})


def _with_invalid_content(rng: np.random.Generator, checkpoint: Checkpoint) -> bytes:
    """Return a file with a correct digest but modified content."""
    tensors = {name: values.copy() for name, values in checkpoint.tensors.items()}
    content: dict[str, Any] = {
        "format_version": 1,
        "sampler": checkpoint.sampler,
        "fingerprint": checkpoint.fingerprint,
        "config": json.loads(json.dumps(dict(checkpoint.config))),
        "training": dict(checkpoint.training),
    }
    for _ in range(int(rng.integers(1, 3))):
        if rng.random() < 0.6:
            _change(rng, content if rng.random() < 0.2 else content["config"])
            if not isinstance(content.get("config"), dict):
                break
        else:
            _change_tensors(rng, tensors)
    content["digest"] = digest_of(content, tensors)
    text = json.dumps(content, sort_keys=True)
    if rng.random() < 0.05:
        text = str(pick(rng, ["[" * 100_000, "{" * 9, "1", "null", '"x"', text[:-3], text * 2]))
    texts = {METADATA_KEY: text}
    return safetensors.numpy.save(tensors, {} if rng.random() < 0.01 else texts)


def _change(rng: np.random.Generator, values: Any) -> None:  # noqa: ANN401
    """Change a random entry of a JSON object."""
    while True:
        keys = list(values) if isinstance(values, dict) else list(range(len(values)))
        if not keys or (isinstance(values, dict) and rng.random() < 0.03):
            if isinstance(values, dict):
                values["extra"] = 1
            return
        key = pick(rng, keys)
        inner = values[key]
        if isinstance(inner, dict | list) and inner and rng.random() < 0.6:
            values = inner
            continue
        if rng.random() < 0.1:
            del values[key]
        else:
            values[key] = deepcopy(pick(rng, _VALUES))
        return


def _change_tensors(rng: np.random.Generator, tensors: dict[str, np.ndarray]) -> None:
    """Change a tensor's values, shape, type or name."""
    name = str(pick(rng, sorted(tensors) or ["none"]))
    values = tensors.pop(name, np.zeros(3, np.float32))
    way = int(rng.integers(8))
    if way == 0:
        values = np.full_like(values, pick(rng, [np.nan, np.inf, 1e38, -1e30, 1e-38, 0.0]))
    elif way == 1:
        values = values.reshape(-1)[: int(rng.integers(values.size + 1))]
    elif way == 2:
        values = values.astype(pick(rng, [np.float64, np.float16, np.int8, np.int64, np.bool_]))  # pyright: ignore
    elif way == 3:
        values = values[None]
    elif way == 4:
        name = str(pick(rng, ["", "x", name + ".", "_" * 999, "first", "last"]))
    elif way == 5:
        return
    elif way == 6 and values.size:
        values.reshape(-1)[int(rng.integers(values.size))] = pick(rng, [np.nan, 1e38, -1e38, 7.0])
    else:
        values = np.asarray(values.T, order="C")
    tensors[name] = np.ascontiguousarray(values)
