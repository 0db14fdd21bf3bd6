"""A group of commands that are put together when they run, so that `--help` answers at once."""

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup


class LazyGroup(TyperGroup):
    """A group with commands of which only the names and purposes are known at first.

    Attributes:
        purposes: What each command is for, by name.
    """

    purposes: ClassVar[Mapping[str, str]] = {}

    @staticmethod
    def make(name: str) -> Callable[..., None]:
        """Return the function of a command."""
        raise NotImplementedError

    def list_commands(self, ctx: Any) -> list[str]:  # noqa: ANN401 (click's context)
        """Return all names, these first."""
        return [*self.purposes, *super().list_commands(ctx)]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:  # noqa: ANN401 (click's command)
        """Return a command without its options, for the list of commands."""
        if cmd_name in self.purposes:
            return TyperCommand(cmd_name, help=self.purposes[cmd_name])
        return super().get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        """Return a command with its options, to run it."""
        name, command, rest = super().resolve_command(ctx, args)
        if name is not None and name in self.purposes:
            alone = typer.Typer(add_completion=False)
            alone.command(name, help=self.purposes[name])(self.make(name))
            command = typer.main.get_command(alone)
        return name, command, rest
