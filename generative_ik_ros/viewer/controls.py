"""Sliders, buttons and a readout on the page; what they are set to comes out as Settings."""

import math
from collections.abc import Callable
from dataclasses import replace

import viser

from generative_ik_ros.samplers.registry import AUTO, sampler_names
from generative_ik_ros.solutions import SolveStatus
from generative_ik_ros.viewer.scene import OPACITY
from generative_ik_ros.viewer.session import Outcome, Settings

MOST_ARMS = 300
COLOR_BY = ("first joint", "order")
_TOLERANCES = (-9, -1)


class Controls:
    """What a user can set, and what the page tells.

    Args:
        server: Where to put them.
        settings: What they stand at first.
        on_change: Called when anything was set that concerns solving.
        on_look: Called when anything was set that concerns looks only.
        on_play: Called when a self-motion is to be played, another one, or none.
        on_random: Called when a random target is wanted.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        settings: Settings,
        on_change: Callable[[], None],
        on_look: Callable[[], None],
        on_play: Callable[[], None],
        on_random: Callable[[], None],
    ):
        """Lay out the panel."""
        gui = server.gui
        self._settings = settings
        self._readout = gui.add_markdown("Loading the solver")
        gui.add_button("Random reachable target").on_click(lambda _: on_random())
        with gui.add_folder("Solve"):
            self._number = gui.add_slider(
                "Arms", 1, max(MOST_ARMS, settings.num_solutions), 1, settings.num_solutions
            )
            self._exponent = gui.add_slider(
                "Tolerance 10^",
                *_TOLERANCES,
                0.5,
                math.log10(settings.tolerance),
                hint="Largest distance [m] and angle [rad] from the target",
            )
            self._position_only = gui.add_checkbox(
                "Position only", settings.position_only, hint="The tip may turn"
            )
            self._sampler = gui.add_dropdown(
                "Sampler", (AUTO, *sampler_names()), initial_value=settings.sampler
            )
        with gui.add_folder("Look"):
            self._opacity = gui.add_slider("Opacity", 0.05, 1.0, 0.05, OPACITY)
            self._color_by = gui.add_dropdown("Colour by", COLOR_BY)
        with gui.add_folder("Self-motion"):
            self._which = gui.add_slider("Of arm", 1, max(MOST_ARMS, settings.num_solutions), 1, 1)
            self._play = gui.add_checkbox(
                "Play", False, hint="Move the arm as its joints to spare allow; the tip stays"
            )
            self._motion = gui.add_markdown("")
        for handle in (self._number, self._exponent, self._position_only, self._sampler):
            handle.on_update(lambda _: on_change())
        for handle in (self._opacity, self._color_by):
            handle.on_update(lambda _: on_look())
        for handle in (self._play, self._which):
            handle.on_update(lambda _: on_play())

    @property
    def settings(self) -> Settings:
        """What the user asks for."""
        return replace(
            self._settings,
            num_solutions=int(self._number.value),
            tolerance=10.0 ** float(self._exponent.value),
            position_only=bool(self._position_only.value),
            sampler=str(self._sampler.value),
        )

    @property
    def opacity(self) -> float:
        """How solid the arms are, from 0 to 1."""
        return float(self._opacity.value)

    @property
    def color_by_order(self) -> bool:
        """Whether arms are coloured by their order, else by their first joint."""
        return self._color_by.value == "order"

    @property
    def playing(self) -> bool:
        """Whether a self-motion is to be played."""
        return bool(self._play.value)

    def stop_playing(self) -> None:
        """Take the tick away."""
        if self._play.value:
            self._play.value = False

    @property
    def which(self) -> int:
        """Which arm to move, counted from 0."""
        return int(self._which.value) - 1

    def tell(self, outcome: Outcome, drawing: float) -> None:
        """Say what came of a target, and how long drawing it took [s]."""
        self._readout.content = describe(outcome, drawing)

    def tell_motion(self, text: str) -> None:
        """Say what is known of the self-motion."""
        if self._motion.content != text:
            self._motion.content = text


def describe(outcome: Outcome, drawing: float) -> str:
    """Return Markdown about an outcome and the time that drawing took [s]."""
    found = outcome.solutions
    if found is None:
        return f"**Cannot solve:** {outcome.fault}"
    count, times = int(found.counts[0]), found.timings
    work = (
        f"solved in {1e3 * outcome.seconds:.1f} ms, drawn in {1e3 * drawing:.1f} ms  \n"
        f"{times.seeds} seeds in {times.rounds} rounds, sampler {found.sampler}"
    )
    if count:
        short = "" if found.status[0] is SolveStatus.SOLVED else ", all that were found"
        noun = "solution" if count == 1 else "solutions"
        return f"**{count} {noun}**{short}  \n{work}"
    distance = found.best_effort_position_error[0]
    angle = math.degrees(found.best_effort_orientation_error[0])
    word = "Out of time" if found.status[0] is SolveStatus.TIMED_OUT else "Unreachable"
    return (
        f"**{word}**: the closest configuration (orange) is {1e3 * distance:.1f} mm and "
        f"{angle:.1f} degrees away  \n{work}"
    )
