"""The control panel on the viewer's page."""

import math
from collections.abc import Callable
from dataclasses import replace

import viser

from generative_ik_ros.drawing.colors import FAR, by_clearance, legend
from generative_ik_ros.samplers.registry import AUTO, sampler_names
from generative_ik_ros.solutions import SolveStatus
from generative_ik_ros.viewer.obstacles import ObstaclePanel
from generative_ik_ros.viewer.scene import LOOK
from generative_ik_ros.viewer.session import Outcome, Settings

MOST_ARMS = 300
BY_ORDER, BY_CLEARANCE = "order", "clearance"
COLOR_BY = ("first joint", BY_ORDER)
NONE = "none"
WHAT_TO_FREE = "*Position only* frees the orientation"


class Controls:
    """Sliders, buttons and a readout.

    Args:
        server: The server of the page.
        settings: Initial values.
        on_change: Called when a solver setting has changed.
        on_look: Called when a display setting has changed.
        on_play: Called when the self-motion to play has changed, started or stopped.
        on_random: Called when a random target is requested.
        obstacles: The obstacles, if collisions are checked.
    """

    def __init__(
        self,
        server: viser.ViserServer,
        settings: Settings,
        on_change: Callable[[], None],
        on_look: Callable[[], None],
        on_play: Callable[[], None],
        on_random: Callable[[], None],
        obstacles: ObstaclePanel | None = None,
    ):
        """Create the panel."""
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
                min=-9,
                max=-1,
                step=0.5,
                initial_value=math.log10(settings.tolerance),
                hint="Largest distance [m] and angle [rad] from the target",
            )
            self._position_only = gui.add_checkbox(
                "Position only", settings.position_only, hint="The tip's orientation is free"
            )
            samplers = AUTO, *sampler_names()
            self._sampler = gui.add_dropdown("Sampler", samplers, initial_value=settings.sampler)
            self._beside = gui.add_dropdown(
                "Beside it", (NONE, *samplers), initial_value=settings.beside or NONE
            )
            self._raw = gui.add_checkbox(
                "Raw samples", settings.raw, hint="What the samplers propose, not the solutions"
            )
        self._obstacles = obstacles
        if obstacles is not None:
            obstacles.build(gui, settings, on_change)
        self._add_look(gui)
        with gui.add_folder("Self-motion"):
            self._which = gui.add_slider("Of arm", 1, max(MOST_ARMS, settings.num_solutions), 1, 1)
            self._play = gui.add_checkbox(
                "Play", False, hint="Move the arm in its null space, with the tip fixed"
            )
            self._motion = gui.add_markdown("")
        accuracy = self._number, self._exponent, self._position_only
        for handle in (*accuracy, self._sampler, self._beside, self._raw):
            handle.on_update(lambda _: on_change())
        for handle in (self._opacity, self._color_by):
            handle.on_update(lambda _: on_look())
        for handle in (self._play, self._which):
            handle.on_update(lambda _: on_play())

    def _add_look(self, gui: viser.GuiApi) -> None:
        checked = self._obstacles is not None
        with gui.add_folder("Look"):
            self._opacity = gui.add_slider("Opacity", 0.05, 1.0, 0.05, LOOK.opacity)
            choices = (BY_CLEARANCE, *COLOR_BY) if checked else COLOR_BY
            self._color_by = gui.add_dropdown("Colour by", choices)
            if checked:
                label = f"Clearance 0 to {1e3 * FAR:.0f} mm or more"
                gui.add_image(legend(by_clearance, FAR), label=label)

    @property
    def settings(self) -> Settings:
        """The solver settings selected by the user."""
        return replace(
            self._settings,
            num_solutions=int(self._number.value),
            tolerance=10.0 ** float(self._exponent.value),
            position_only=bool(self._position_only.value),
            sampler=str(self._sampler.value),
            beside="" if self._beside.value == NONE else str(self._beside.value),
            raw=bool(self._raw.value),
            **({} if self._obstacles is None else self._obstacles.settings),
        )

    @property
    def opacity(self) -> float:
        """Opacity of the arms, from 0 to 1."""
        return float(self._opacity.value)

    @property
    def color_by(self) -> str:
        """What the colours of arms say, of `COLOR_BY` or `BY_CLEARANCE`."""
        return str(self._color_by.value)

    @property
    def playing(self) -> bool:
        """Whether to play a self-motion."""
        return bool(self._play.value)

    def stop_playing(self) -> None:
        """Clear the Play checkbox."""
        if self._play.value:
            self._play.value = False

    @property
    def which(self) -> int:
        """Index of the arm to move, from 0."""
        return int(self._which.value) - 1

    def tell(self, outcome: Outcome, drawing: float) -> None:
        """Show the result of a target and the time for drawing it [s]."""
        self._readout.content = describe(outcome, drawing)

    def tell_motion(self, text: str) -> None:
        """Show a description of the self-motion."""
        if self._motion.content != text:
            self._motion.content = text


def describe(outcome: Outcome, drawing: float) -> str:
    """Return a Markdown summary of an outcome and the time for drawing it [s]."""
    found = outcome.solutions
    if found is None:
        return f"**Cannot solve:** {outcome.error}"
    count, times = int(found.counts[0]), found.timings
    work = (
        f"solved in {1e3 * outcome.seconds:.1f} ms, drawn in {1e3 * drawing:.1f} ms  \n"
        f"{times.seeds} seeds in {times.rounds} rounds, sampler {found.sampler}"
    )
    if outcome.beside is not None:
        work = f"{work}  \nbeside it {outcome.beside.text}"
    if outcome.raw is not None:
        work = f"shown: {len(outcome.raw)} raw samples of each sampler  \n{work}"
    if outcome.colliding is not None:
        work = f"{len(outcome.colliding)} others collide (red)  \n{work}"
    if count:
        short = "" if found.status[0] is SolveStatus.SOLVED else ", all that were found"
        noun = "solution" if count == 1 else "solutions"
        free = "" if found.clearance is None else "free "
        return f"**{count} {free}{noun}**{short}  \n{work}"
    if found.blocked_by is not None and found.blocked_by[0] is not None:
        one, other = found.blocked_by[0]
        return f"**Reached in collision only** (orange): {one} with {other}  \n{work}"
    distance = found.best_effort_position_error[0]
    angle = math.degrees(found.best_effort_orientation_error[0])
    word = "Timed out" if found.status[0] is SolveStatus.TIMED_OUT else "Unreachable"
    return (
        f"**{word}**: the closest configuration (orange) is {1e3 * distance:.1f} mm and "
        f"{angle:.1f} degrees away{found.too_few_joints(WHAT_TO_FREE)}  \n{work}"
    )
