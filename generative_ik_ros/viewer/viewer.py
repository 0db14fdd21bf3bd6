"""Web page that shows the solutions for a target, or one for each tip, while users drag it."""

import socket
import threading
import time
from collections.abc import Callable
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import viser

from generative_ik_ros.array_types import Floats
from generative_ik_ros.collision.model import CollisionModel
from generative_ik_ros.collision.scene import Scene
from generative_ik_ros.drawing import colors
from generative_ik_ros.drawing.start import bent_configuration
from generative_ik_ros.drawing.tips import tips_in_base
from generative_ik_ros.errors import InvalidArgumentError
from generative_ik_ros.reach.reachability_map import ReachabilityMap
from generative_ik_ros.robot.chain import KinematicChain
from generative_ik_ros.robot.kinematic_tree import KinematicTree
from generative_ik_ros.robot.random_poses import random_configurations
from generative_ik_ros.viewer.controls import BY_CLEARANCE, BY_ORDER, Controls
from generative_ik_ros.viewer.obstacles import ObstaclePanel, Obstacles
from generative_ik_ros.viewer.player import PathPlayer, Player, TimedPath
from generative_ik_ros.viewer.reach_panel import ReachPanel
from generative_ik_ros.viewer.scene import Stage
from generative_ik_ros.viewer.session import Outcome, Session, Settings
from generative_ik_ros.viewer.surfaces import Surfaces


class Viewer:
    """Serves the page until it is closed; all pages share one target.

    Args:
        chain: The chain, or a tree with K tips, each of which has a handle.
        surfaces: The robot's geometry.
        settings: Initial solver settings.
        host: Address to listen on.
        port: Port to listen on; the next free one if it is in use.
        collision: The robot's geometry; None: collisions are not checked.
        obstacles: The obstacles at first.
        path: A path to play, with the way of the first tip; None: there is none.
        reach: A reachability map of the chain to show; None: there is none.

    Attributes:
        outcome: The outcome being shown.
        listeners: Called with each outcome once it is shown, and the time for drawing it [s].

    Raises:
        InvalidArgumentError: The address cannot be listened on.
    """

    def __init__(
        self,
        chain: KinematicChain | KinematicTree,
        surfaces: Surfaces,
        settings: Settings,
        host: str = "127.0.0.1",
        port: int = 8080,
        collision: CollisionModel | None = None,
        obstacles: Scene | None = None,
        path: TimedPath | None = None,
        reach: ReachabilityMap | None = None,
    ):
        """Start the server and solve for an initial target."""
        self.chain = chain
        self.outcome: Outcome | None = None
        self.listeners: list[Callable[[Outcome, float], None]] = []
        self._looks = threading.RLock()
        self._random = np.random.default_rng(0)
        _check_host(host)
        # viser prints messages at start and end even with verbose=False.
        with redirect_stdout(StringIO()):
            self._server = viser.ViserServer(host, port, label="generative-ik", verbose=False)
        self._server.gui.configure_theme(show_logo=False, show_share_button=False)
        # Next to the scene instead of over it.
        self._server.gui.main_panel.dock_right()
        self.scene = Stage(self._server, chain, surfaces, two=bool(settings.beside))
        self.player = Player(chain, self._show_motion)
        obstacles = Scene() if obstacles is None else obstacles
        self.session = Session(chain, settings, self._show, collision, obstacles)
        panel = None
        if collision is not None:
            panel = ObstaclePanel()
            self.obstacles = Obstacles(
                self._server,
                chain,
                obstacles,
                on_change=lambda scene: self.session.ask(scene=scene),
                on_select=panel.update,
                joint_positions=collision.joint_positions,
            )
            panel.obstacles = self.obstacles
        self.controls = Controls(
            self._server,
            settings,
            on_change=lambda: self.session.ask(settings=self.controls.settings),
            on_look=self._look_again,
            on_play=self._play,
            on_random=self.go_to_random_target,
            obstacles=panel,
        )
        self.path_player = None
        if path is not None:
            self.path_player = PathPlayer(self._server.gui, path, self._show_on_path)
            self.scene.show_line(tips_in_base(chain, path.positions)[:, 0, :3, 3])
        if reach is not None and isinstance(chain, KinematicChain):
            self.reach_panel = ReachPanel(self._server, chain, reach, self.go_to)
        self.scene.on_drag(self.session.ask)
        self.go_to(chain.forward(bent_configuration(chain)))

    @property
    def url(self) -> str:
        """Address of the page."""
        host = self._server.get_host()
        shown = "127.0.0.1" if host in ("0.0.0.0", "") else host
        return f"http://{shown}:{self._server.get_port()}"

    @property
    def num_pages(self) -> int:
        """Number of open pages."""
        return len(self._server.get_clients())

    def go_to(self, target: Floats) -> None:
        """Move the target (4, 4) or (K, 4, 4) and solve for it; returns immediately."""
        self.scene.place_target(target)
        self.session.ask(target)

    def go_to_random_target(self) -> None:
        """Move the target to where the tips of a random configuration are."""
        (q,) = random_configurations(self.chain, 1, int(self._random.integers(2**31)))
        self.go_to(self.chain.forward(q))

    def close(self) -> None:
        """Stop the session and the server."""
        self.player.stop()
        if self.path_player is not None:
            self.path_player.stop()
        self.session.close()
        with redirect_stdout(StringIO()):
            self._server.stop()

    def _show(self, outcome: Outcome) -> None:
        """Draw an outcome; called from the session's thread."""
        self.player.stop()
        start = time.perf_counter()
        with self._looks, self._server.atomic():
            self.controls.stop_playing()
            self.outcome = outcome
            self._draw(outcome)
            drawing = time.perf_counter() - start
            self.controls.tell(outcome, drawing)
        for listener in self.listeners:
            listener(outcome, drawing)

    def _draw(self, outcome: Outcome) -> None:
        positions, closest = np.empty((0, self.chain.num_joints)), None
        if outcome.solutions is not None:
            positions = outcome.arms
            found = outcome.solutions.counts[0] > 0
            closest = None if found else outcome.solutions.best_effort[0]
        self.scene.opacity = self.controls.opacity
        shades, by = colors.by_first_joint(self.chain, positions), self.controls.color_by
        if by == BY_ORDER:
            shades = colors.by_order(len(positions))
        clearance = None if outcome.solutions is None else outcome.solutions.clearance
        if by == BY_CLEARANCE and clearance is not None and outcome.raw is None:
            shades = colors.by_clearance(clearance[0, : len(positions)])
        self.scene.show_arms(positions, shades)
        none = np.empty((0, self.chain.num_joints))
        beside = none if outcome.beside is None else outcome.beside.positions
        self.scene.show_beside(beside, colors.by_first_joint(self.chain, beside))
        self.scene.show_colliding(none if outcome.colliding is None else outcome.colliding)
        self.scene.show_solo(closest, colors.CLOSEST)
        self.scene.show_missing(closest, outcome.target)

    def _look_again(self) -> None:
        with self._looks, self._server.atomic():
            if self.outcome is not None:
                self._draw(self.outcome)

    def _play(self) -> None:
        """Start or stop the self-motion of the selected arm."""
        self.player.stop()
        outcome = self.outcome
        arms = None if outcome is None or outcome.solutions is None else outcome.solutions.of(0)
        if self.controls.playing and arms is not None and len(arms):
            which = min(self.controls.which, len(arms) - 1)
            self.player.play(arms[which], self.controls.settings.position_only)
        else:
            self._look_again()

    def _show_on_path(self, position: Floats) -> None:
        with self._looks, self._server.atomic():
            self.scene.show_solo(position)

    def _show_motion(self, position: Floats, description: str) -> None:
        with self._looks, self._server.atomic():
            self.scene.show_solo(position)
            self.controls.tell_motion(description)


def _check_host(host: str) -> None:
    """Refuse an address that cannot be listened on, for which viser would wait for ever."""
    try:
        with socket.create_server((host, 0)):
            pass
    except (OSError, UnicodeError) as error:
        raise InvalidArgumentError(f"cannot listen on '{host}': {error}") from error
