"""What has a motion of its own, as trackers: it cannot be copied or pickled."""

from typing import NoReturn

from generative_ik_ros.errors import CopyError


class Uncopied:
    """Refuses `copy` and `pickle`: two copies would share, or lose, where the motion is."""

    def __reduce__(self) -> NoReturn:
        """Refuse.

        Raises:
            CopyError: Always.
        """
        name = type(self).__name__
        raise CopyError(
            f"a {name} has a motion of its own and cannot be copied or pickled: make another one, "
            "in the process that uses it (solvers can be pickled)"
        )
