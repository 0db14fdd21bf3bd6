"""Solutions and a chain in, a marker array with every solution as a translucent arm out."""

import numpy as np
from numpy.typing import NDArray
from visualization_msgs.msg import Marker, MarkerArray

from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.ros.marker_layout import MarkerLayout, Picture
from generative_ik_ros.solutions import IKSolutions

MAX_TARGETS = 100
"""Most targets drawn."""
MAX_CLOSEST = 5
"""Most targets without a solution that are shown with the closest configuration."""


def clear_markers(base_link: str) -> MarkerArray:
    """Return a message that deletes everything drawn before."""
    clear = Marker(action=Marker.DELETEALL)  # pyright: ignore[reportAttributeAccessIssue]
    clear.header.frame_id = base_link
    return MarkerArray(markers=[clear])


class SolutionMarkers:
    """Draws solutions, one picture after the other, each one complete.

    Each arm has a namespace of its own, so that it can be switched off in RViz. Colours go from
    blue for the best solution to yellow for the last one drawn. A target without a solution shows
    the closest configuration in vermilion, and a line over the distance that is left.

    A picture moves the markers of the one before and deletes those it does not need: RViz keeps
    the meshes it has, which is far cheaper than clearing and loading them for every picture.
    """

    def __init__(self) -> None:
        """Begin with nothing drawn."""
        self._chain: KinematicChain | None = None
        self._layout: MarkerLayout | None = None

    def draw(
        self,
        chain: KinematicChain,
        solutions: IKSolutions,
        targets_in_base: NDArray[np.float64],
        limit: int,
        opacity: float,
        *,
        serialised: bool = True,
    ) -> bytes | MarkerArray:
        """Draw the best solutions of every target, and the targets.

        Args:
            chain: The chain that was solved.
            solutions: What was found for the B targets.
            targets_in_base: (B, 4, 4) the targets [m].
            limit: Most arms to draw; with 0 there are only targets.
            opacity: Opacity of the arms, from 0 to 1.
            serialised: Whether a serialised MarkerArray will do, which is much faster.

        Returns:
            What `Publisher.publish` takes.
        """
        targets = targets_in_base[:MAX_TARGETS]
        num_closest = min(len(targets), MAX_CLOSEST, limit)
        missed = np.flatnonzero(solutions.counts[: len(targets)] == 0)[:num_closest]
        chosen = _best(solutions, limit)
        # A power of two, so that a growing number of solutions seldom asks for a new layout.
        room = min(limit, 1 << (len(chosen) - 1).bit_length()) if len(chosen) else 0
        layout = self._layout_for(chain, len(targets), num_closest, room)
        clear, self._layout, self._chain = layout is not self._layout, layout, chain
        picture = Picture(
            targets,
            solutions.positions[chosen[:, 0], chosen[:, 1]],
            solutions.best_effort[missed],
            targets[missed],
            opacity,
        )
        return layout.message(picture, clear=clear, serialised=serialised)

    def _layout_for(
        self, chain: KinematicChain, num_targets: int, num_closest: int, num_arms: int
    ) -> MarkerLayout:
        """Return the layout in use where it has room for a picture, else a new one."""
        layout = self._layout
        if layout is not None and (
            chain is self._chain
            and layout.num_targets == num_targets
            and layout.num_closest == num_closest
            and layout.num_arms >= num_arms
        ):
            return layout
        return MarkerLayout(chain, num_targets, num_closest, num_arms)


def _best(solutions: IKSolutions, limit: int) -> NDArray[np.int64]:
    """Return (A, 2) target and place of the solutions to draw: each target's best, then second."""
    places = np.arange(solutions.positions.shape[1])[:, None]
    order, target = np.nonzero(places < solutions.counts[None, :])
    return np.stack([target, order], axis=1)[:limit]
