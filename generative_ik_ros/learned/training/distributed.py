"""The processes that torchrun starts to train one model together."""

import os
from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor, distributed, nn


@dataclass(frozen=True)
class Peers:
    """This process and the others that train the same model.

    Attributes:
        device: Where this process trains.
        rank: Index of this process.
        count: How many there are.
    """

    device: torch.device
    rank: int = 0
    count: int = 1

    @classmethod
    def join(cls, device: torch.device) -> "Peers":
        """Join the processes that torchrun has started, by NCCL on GPUs, by gloo on CPUs."""
        count = int(os.environ.get("WORLD_SIZE", "1"))
        if count == 1 or not distributed.is_available():
            return cls(device)
        if not distributed.is_initialized():
            distributed.init_process_group("nccl" if device.type == "cuda" else "gloo")
        return cls(device, distributed.get_rank(), count)

    @property
    def first(self) -> bool:
        """Whether this process is the one that writes and reports."""
        return self.rank == 0

    def average_gradients(self, parameters: Iterable[nn.Parameter]) -> None:
        """Replace every gradient by its mean over the processes, in one exchange."""
        if self.count == 1:
            return
        gradients = [p.grad for p in parameters if p.grad is not None]
        flat = nn.utils.parameters_to_vector(gradients)
        distributed.all_reduce(flat)
        nn.utils.vector_to_parameters(flat / self.count, gradients)

    def same(self, values: Tensor) -> Tensor:
        """Replace values by those of the first process, in place, so that all decide alike."""
        if self.count > 1:
            distributed.broadcast(values, 0)
        return values

    def leave(self) -> None:
        """Close the group."""
        if self.count > 1 and distributed.is_initialized():
            distributed.destroy_process_group()
