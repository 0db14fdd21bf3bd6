"""The sampler `distal`: answers of trained networks, and seeds around them."""

from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch

from generative_ik_ros import _core
from generative_ik_ros.arguments import check_torch_device
from generative_ik_ros.array_types import Floats
from generative_ik_ros.learned.checkpoint import weights_file
from generative_ik_ros.learned.device_network import DeviceNetwork
from generative_ik_ros.learned.distal.native_net import NativeMembers
from generative_ik_ros.learned.distal.net import NAME, load_net
from generative_ik_ros.learned.ikflow.joint_box import JointBox
from generative_ik_ros.learned.ikflow.pose_features import COLUMNS
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.samplers.base import Sampler, SeedRequest
from generative_ik_ros.samplers.quasi_random import QuasiRandom


@dataclass(frozen=True)
class DistalTuning:
    """How poses are perturbed."""

    spread: float = 0.15
    """Half ranges that the first perturbations reach; those of round r reach sqrt(r) times as
    far."""
    slab: int = 1 << 13
    """Most poses at once: bounds the memory."""


TUNING = DistalTuning()


class DistalPredictor:
    """Evaluates the networks once per pose, without refinement or checks.

    The native core does, in single precision; quaternions as input run in PyTorch, in double
    precision on the CPU, in single precision on a GPU.

    Args:
        path: Weight file.
        chain: The chain they are for.
        device: "cpu" or "cuda".

    Attributes:
        members: Configurations per pose.
        box: Ranges of the chain's joints.

    Raises:
        CheckpointError: The file is unusable.
        InvalidArgumentError: There is no such device.
    """

    def __init__(self, path: Path, chain: KinematicChain, device: str = "cpu"):
        net, self.checkpoint = load_net(path, chain)
        self._native = self._there = None
        if net.config.pose_input in COLUMNS:
            self._native = NativeMembers.of(net)
            if device == "cuda":
                self._there = DeviceNetwork(_core.DeviceMembers, self._native)
        else:
            self._dtype = torch.float64 if device == "cpu" else torch.float32
            self._device = check_torch_device(device)
            self._net = net.to(device, self._dtype)
        self.members, self.box, self._chain = net.config.members, JointBox.of(chain), chain

    def boxed(self, targets: Floats) -> Floats:
        """Return points (T, M, n) of the joint box for poses (T, 4, 4), tip in base [m]."""
        canonical = self._chain.canonical_target(targets)
        if self._native is not None:
            return self._native.answers(canonical, self._there)
        poses = torch.as_tensor(canonical)
        boxed = np.empty((len(targets), self.members, len(self.box.half)))
        with torch.inference_mode():
            for i in range(0, len(targets), TUNING.slab):
                slab = poses[i : i + TUNING.slab].to(self._device, self._dtype)
                boxed[i : i + TUNING.slab] = self._net(slab).transpose(0, 1).cpu().numpy()
        return boxed

    def configurations(self, targets: Floats) -> Floats:
        """Return configurations (T, M, n), also those beyond the limits [rad or m]."""
        return self.box.middle + self.box.half * self.boxed(targets)


class Distal(Sampler):
    """Answers of networks trained by a distal teacher (T. von Oehsen et al., 2020).

    Such a network has learned one configuration per pose. The first seeds are the answers of the M
    member networks; the others are the same answers in turn, perturbed at random within a box that
    grows with the square root of the round, up to the whole joint box. Diversity comes from the
    members, as far as their different initial weights lead to different branches, and from the
    perturbations.

    Args:
        chain: The chain; weights are found by its fingerprint.
        device: "cpu" or "cuda".
        weights: Weight file; None to look in the user's folder, then in the package.

    Raises:
        MissingWeightsError: There are no weights for the chain; the message says how to train.
        CheckpointError: There are, but the file is unusable.
    """

    name = NAME

    def __init__(self, chain: KinematicChain, device: str = "cpu", *, weights: Path | None = None):
        super().__init__(chain, device)
        self.path = weights_file(NAME, chain, weights)
        self._predictor = DistalPredictor(self.path, chain, device)
        self._quasi_random = QuasiRandom(chain)

    def propose(self, request: SeedRequest) -> Floats:
        """Return (T, K, n) configurations inside the bounds."""
        shape = len(request.targets), request.count, self.chain.num_joints
        if 0 in shape:
            return np.empty(shape)
        predictor, box = self._predictor, self._predictor.box
        answers = predictor.boxed(request.targets)
        answers = np.where(box.circular, answers, np.clip(answers, -1.0, 1.0))
        rounds, member = np.divmod(
            np.arange(request.first, request.first + request.count), predictor.members
        )
        radius = np.minimum(TUNING.spread * np.sqrt(rounds), 1.0)[:, None]
        one = np.ones(self.chain.num_joints)
        steps = self._quasi_random.propose(replace(request, lower=-one, upper=one))
        boxed = answers[:, member] + radius * steps
        # Joints with limits are reflected into [-1, 1]; circles are wrapped later.
        reflected = 1.0 - np.abs((boxed + 1.0) % 4.0 - 2.0)
        positions = box.middle + box.half * np.where(box.circular, boxed, reflected)
        return box.inside(positions, request.lower, request.upper)
