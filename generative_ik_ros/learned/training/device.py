"""The choice of the device that a training runs on; torch is imported when it is made."""

import os
from typing import TYPE_CHECKING

from generative_ik_ros.errors import InvalidArgumentError, MissingDependencyError, UnknownNameError

if TYPE_CHECKING:
    import torch

_DEVICES = ("auto", "cpu", "cuda")


def require_torch() -> None:
    """Refuse to train where PyTorch is missing.

    Raises:
        MissingDependencyError: torch or safetensors is not installed.
    """
    try:
        import safetensors  # noqa: F401
        import torch  # noqa: F401
    except ImportError as error:
        raise MissingDependencyError(
            "training needs torch and safetensors, which are not installed: "
            "pip install 'generative_ik_ros[learned]'"
        ) from error


def chosen_device(device: str) -> "torch.device":
    """Return the device for "auto", "cpu" or "cuda"; under torchrun, the process's own GPU.

    Raises:
        UnknownNameError: There is no such device.
        MissingDependencyError: torch or safetensors is not installed.
        InvalidArgumentError: There is no CUDA device, which was asked for.
    """
    if device not in _DEVICES:
        raise UnknownNameError("device", device, _DEVICES)
    require_torch()
    import torch

    if device == "cuda" and not torch.cuda.is_available():
        raise InvalidArgumentError("device 'cuda' was asked for, but there is no CUDA device")
    if device == "cpu" or not torch.cuda.is_available():
        return torch.device("cpu")
    own = torch.device("cuda", int(os.environ.get("LOCAL_RANK", "0")))
    torch.cuda.set_device(own)
    return own
