"""The GPU of a process, which is opened when it is first asked for."""

import os
from _thread import allocate_lock
from pathlib import Path

from generative_ik_ros import _core
from generative_ik_ros.errors import InvalidArgumentError, warn_caller

KERNELS = Path(_core.__file__).with_name("kernels.fatbin")
"""What `nvcc` made of core/cuda, for several architectures; wheels have it."""
VARIABLE = "GENERATIVE_IK_GPU"
"""Environment variable: "off" for no GPU, "emulated" for the kernels on the CPU, thread by thread,
which tests use and which is slow."""
_CHOICES = "emulated", "off"


class Opened:
    """A process's device, or why there is none.

    Attributes:
        device: None if there is none.
        why: Then why not, as the end of a sentence.
    """

    def __init__(self):
        self.device: _core.Device | None = None
        self.why = ""
        self._tried = False
        self._lock = allocate_lock()
        self._of_parent: list[_core.Device | None] = []
        os.register_at_fork(after_in_child=self._forget)

    def get(self) -> _core.Device | None:
        """Return the device; None if there is none, as `why` says then."""
        if not self._tried:
            with self._lock:
                if not self._tried:
                    self._open()
                    self._tried = True
        return self.device

    def require(self) -> _core.Device:
        """Return the device.

        Raises:
            InvalidArgumentError: There is none; the message says why.
        """
        device = self.get()
        if device is None:
            raise InvalidArgumentError(f"device 'cuda' was asked for, but {self.why}")
        return device

    def give_up(self, error: Exception) -> None:
        """Use the device no more, which has failed; the caller is told."""
        with self._lock:
            if self.device is None:
                return
            self._of_parent.append(self.device)
            self.device, self.why = None, f"it has failed: {error}"
        warn_caller(f"the CUDA device is not used any more, and calls go to the CPU: {error}")

    def _open(self) -> None:
        wanted = os.environ.get(VARIABLE, "")
        if wanted and wanted not in _CHOICES:
            raise InvalidArgumentError(
                f"{VARIABLE}={wanted}: it must be {' or '.join(_CHOICES)}, or not be set"
            )
        if wanted == "off":
            self.why = f"{VARIABLE}=off is set"
        elif wanted == "emulated":
            self.device = _core.Device.emulated()
        elif not KERNELS.exists():
            self.why = (
                "this installation has no kernels for it; with nvcc, "
                "CMAKE_ARGS=-DGENERATIVE_IK_CUDA=ON pip install . makes them"
            )
        else:
            try:
                self.device = _core.Device.cuda(KERNELS.read_bytes())
            except (OSError, MemoryError, RuntimeError) as error:
                self.why = str(error)

    def _forget(self) -> None:
        """A forked process cannot use its parent's device, nor close it."""
        self._of_parent.append(self.device)
        self.device, self._tried, self._lock = None, False, allocate_lock()


OPENED = Opened()
"""The device of this process."""
