"""A network of the native core on the GPU of the process."""

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from generative_ik_ros import _core
from generative_ik_ros.device.open import OPENED

Network = TypeVar("Network")


class DeviceNetwork(Generic[Network]):
    """A network whose weights are put on the GPU when it is first asked for.

    A forked process puts them on its own. Threads may use it at once.

    Args:
        kind: Class of the core, `_core.DeviceFlow` for instance.
        given: What it takes of the network.

    Raises:
        InvalidArgumentError: There is no GPU.
    """

    def __init__(self, kind: Callable[..., Network], given: tuple[Any, ...]):
        OPENED.require()
        self._kind, self._given = kind, given
        self._put: tuple[_core.Device, Network] | None = None

    def __reduce__(self) -> tuple:
        """Leave what is on the GPU out of copies and pickles."""
        return DeviceNetwork, (self._kind, self._given)

    def does(self, call: Callable[[Network], object]) -> bool:
        """Call a function with the network on the GPU; return whether it has been done there.

        It has not where memory is too short, or where the GPU has failed, which is then used no
        more by the process; the caller is told.
        """
        device = OPENED.get()
        if device is None:
            return False
        try:
            call(self._on(device))
        except MemoryError:
            return False
        except RuntimeError as error:
            OPENED.give_up(error)
            return False
        return True

    def _on(self, device: _core.Device) -> Network:
        put = self._put
        if put is None or put[0] is not device:
            self._put = put = device, self._kind(device, self._given)
        return put[1]
