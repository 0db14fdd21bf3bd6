"""The part of the control panel that is about collisions."""

from collections.abc import Callable

import viser

from generative_ik_ros.viewer.obstacles import KINDS, Obstacles
from generative_ik_ros.viewer.session import Settings

_NONE = "none"
_SIZES = (0.02, 1.0, 0.01)


class ObstaclePanel:
    """Switches for collision checks, and buttons that add and remove obstacles.

    Attributes:
        obstacles: What the buttons change; set before the panel is built.
    """

    obstacles: Obstacles

    def build(self, gui: viser.GuiApi, settings: Settings, on_change: Callable[[], None]) -> None:
        """Create the folder; `on_change` is called when a setting has changed."""
        with gui.add_folder("Collisions"):
            self._avoid = gui.add_checkbox("Avoid collisions", settings.avoid_collisions)
            self._colliding = gui.add_checkbox(
                "Show colliding", settings.show_colliding, hint="Draw those that collide in red"
            )
            self._selected = gui.add_dropdown(
                "Obstacle", (_NONE, *self.obstacles.names), hint="Or click on one, then drag it"
            )
            self._kind = gui.add_button_group("Add", KINDS)
            self._size = gui.add_slider("Size", *_SIZES, 0.2, hint="Of what is added [m]")
            remove = gui.add_button("Remove obstacle")
        for handle in (self._avoid, self._colliding):
            handle.on_update(lambda _: on_change())
        self._selected.on_update(lambda _: self._select())
        self._kind.on_click(
            lambda event: self.obstacles.add(str(event.target.value), float(self._size.value))
        )
        remove.on_click(lambda _: self.obstacles.remove())

    @property
    def settings(self) -> dict[str, bool]:
        """The settings that the user has selected here."""
        return {
            "avoid_collisions": bool(self._avoid.value),
            "show_colliding": bool(self._colliding.value),
        }

    def update(self) -> None:
        """Show which obstacles there are, and which is selected."""
        selected = self.obstacles.selected or _NONE
        options = (_NONE, *self.obstacles.names)
        if self._selected.options != options:
            self._selected.options = options
        if self._selected.value != selected:
            self._selected.value = selected

    def _select(self) -> None:
        value = str(self._selected.value)
        self.obstacles.select(None if value == _NONE else value)
