"""The whole state of a training, and the file that it is resumed from."""

import json
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from torch import Tensor, nn

from generative_ik_ros.learned.checkpoint import (
    CheckpointError,
    read_safetensors,
    write_atomically,
)

_KEY = "generative_ik_ros_training"
_MOMENTS = ("exp_avg", "exp_avg_sq")


@dataclass
class Counters:
    """Where a training stands.

    Attributes:
        step: Steps done.
        seconds: Time spent [s].
        samples: Samples seen.
        attempt: How often training went back to a good state; selects other data each time.
        rate: Factor of the learning rate, halved by each divergence.
        best: Lowest running loss.
        running: Running loss.
    """

    step: int = 0
    seconds: float = 0.0
    samples: int = 0
    attempt: int = 0
    rate: float = 1.0
    best: float = float("inf")
    running: float = float("inf")


class TrainingState:
    """Weights, their moving average and AdamW's moments of one model, as it is at first."""

    def __init__(self, model: nn.Module, learning_rate: float, weight_decay: float):
        self.weights = dict(model.named_parameters())
        self.average = {name: weight.detach().clone() for name, weight in self.weights.items()}
        # Betas and eps as in IKFlow's appendix.
        self.optimizer = torch.optim.AdamW(
            model.parameters(), lr=learning_rate, betas=(0.95, 0.999), weight_decay=weight_decay
        )
        self.counters = Counters()

    @torch.no_grad()
    def update_average(self, decay: float) -> None:
        """Move the average towards the weights; faster in the first steps."""
        decay = min(decay, (1.0 + self.counters.step) / (10.0 + self.counters.step))
        for name, weight in self.weights.items():
            self.average[name].lerp_(weight, 1.0 - decay)

    @torch.no_grad()
    def swap(self) -> None:
        """Exchange weights and average, to evaluate what is written; a second time undoes it."""
        for name, weight in self.weights.items():
            held = weight.detach().clone()
            weight.copy_(self.average[name])
            self.average[name].copy_(held)

    def snapshot(self) -> dict[str, Tensor]:
        """Copy everything, on its device."""
        tensors = {}
        for name, weight in self.weights.items():
            moments = self.optimizer.state.get(weight, {})
            tensors[f"weight/{name}"] = weight.detach().clone()
            tensors[f"average/{name}"] = self.average[name].clone()
            for part in _MOMENTS:
                tensors[f"{part}/{name}"] = moments.get(part, torch.zeros_like(weight)).clone()
        tensors["step"] = torch.tensor(
            float(max((m["step"] for m in self.optimizer.state.values()), default=0.0))
        )
        return tensors

    @torch.no_grad()
    def restore(self, tensors: dict[str, Tensor]) -> None:
        """Go back to a snapshot; the counters are the caller's."""
        for name, weight in self.weights.items():
            weight.copy_(tensors[f"weight/{name}"])
            self.average[name].copy_(tensors[f"average/{name}"])
            weight.grad = None
            self.optimizer.state[weight] = {
                "step": tensors["step"].cpu().clone(),
                **{p: tensors[f"{p}/{name}"].to(weight.device).clone() for p in _MOMENTS},
            }

    def save(self, path: Path, config: dict[str, object], fingerprint: str) -> None:
        """Write everything that an exact continuation needs."""
        import safetensors.torch

        content = {"counters": asdict(self.counters), "config": config, "chain": fingerprint}
        tensors = {name: values.cpu().contiguous() for name, values in self.snapshot().items()}
        write_atomically(path, safetensors.torch.save(tensors, {_KEY: json.dumps(content)}))

    def load(self, path: Path, config: dict[str, object], fingerprint: str) -> None:
        """Read what `save` wrote.

        Raises:
            CheckpointError: The file is unusable, or is of another model or chain.
        """
        arrays, texts = read_safetensors(path)
        try:
            content = json.loads(texts[_KEY])
            counters = Counters(**content["counters"])
        except (KeyError, TypeError, ValueError):
            raise CheckpointError(f"{path} is no state of a training, or a damaged one") from None
        if content.get("chain") != fingerprint:
            raise CheckpointError(
                f"{path} is of a training for another chain, or of other configurations: "
                f"{content.get('chain')}, not {fingerprint}"
            )
        if content.get("config") != json.loads(json.dumps(config)):
            raise CheckpointError(
                f"{path} is of a training with another model configuration; start a new one with "
                "another output file, or give the same settings"
            )
        wanted = {name: tuple(values.shape) for name, values in self.snapshot().items()}
        found = {name: values.shape for name, values in arrays.items()}
        if wanted != found:
            raise CheckpointError(f"{path} has other tensors than the model's training has")
        self.restore({name: torch.from_numpy(values.copy()) for name, values in arrays.items()})
        self.counters = counters
