"""The choice of the device that a training runs on; torch is imported when it is made."""

import os
from typing import TYPE_CHECKING

from generative_ik_ros.arguments import check_torch_device
from generative_ik_ros.errors import check_names, importing

if TYPE_CHECKING:
    import torch

_DEVICES = ("auto", "cpu", "cuda")


def require_torch() -> None:
    """Refuse to train where PyTorch is missing.

    Raises:
        MissingDependencyError: torch or safetensors is not installed.
    """
    with importing("training needs torch or safetensors", "'generative_ik_ros[learned]'"):
        import safetensors  # noqa: F401
        import torch  # noqa: F401


def chosen_device(device: str) -> "torch.device":
    """Return the device for "auto", "cpu" or "cuda"; under torchrun, the process's own GPU.

    Raises:
        UnknownNameError: There is no such device.
        MissingDependencyError: torch or safetensors is not installed.
        InvalidArgumentError: There is no CUDA device, which was asked for.
    """
    check_names("device", [device], _DEVICES)
    require_torch()
    import torch

    if check_torch_device(device) == "cpu" or not torch.cuda.is_available():
        return torch.device("cpu")
    own = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(own)
    return own
