"""The command line `generative-ik`.

Only typer is imported before a verb runs, so that `--help` answers at once.
"""

import atexit
import gc
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from generative_ik_ros import __version__
from generative_ik_ros.cli.options import ExitCode, join_numbers
from generative_ik_ros.cli.verbs import add_verbs
from generative_ik_ros.errors import GenerativeIKError, GenerativeIKWarning

# Typer keeps its copy of click private in some releases and imports click in others; the root of
# its usage errors is reached through a public name in both.
_CommandLineError: type[Exception] = typer.BadParameter.__mro__[2]

_VERSION = "Print the version, that of the core, and the core's set of instructions."
app = typer.Typer(
    name="generative-ik",
    help="Many exact, diverse inverse kinematics solutions for any URDF arm.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
)
add_verbs(app)

# Python would look for garbage among all imported objects once more at the end.
atexit.register(gc.freeze)


def _print_version(wanted: bool) -> None:
    if wanted:
        from generative_ik_ros import _core

        core = f"core {_core.version()}, {_core.instruction_set()}"
        typer.echo(f"generative-ik {__version__} ({core})")
        raise typer.Exit()


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help=_VERSION)
    ] = False,
) -> None:
    """Take the options that stand before the verb."""


def _misuse(message: str) -> int:
    """Say in one line on stderr what was wrong."""
    print(f"generative-ik: {' '.join(message.split())}", file=sys.stderr)
    return ExitCode.MISUSE


def _output_ended(error: OSError | SystemExit) -> int:
    """Return the exit code where standard output takes no more.

    Where its reader went away (`| head`), releases of typer end by SystemExit; other ends that
    they may have are raised again.
    """
    left = isinstance(error, BrokenPipeError) or isinstance(error.__context__, BrokenPipeError)
    if isinstance(error, SystemExit) and not left:
        raise error
    # Python would complain again when it flushes at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return ExitCode.DONE if left else _misuse(str(error))


def _open_closed_streams() -> None:
    """Have what this process was started without (`>&-`) lead nowhere.

    Files that it opens would take the places of these streams otherwise.
    """
    for name, flags, mode in (
        ("stdin", os.O_RDONLY, "r"),
        ("stdout", os.O_WRONLY, "w"),
        ("stderr", os.O_WRONLY, "w"),
    ):
        if getattr(sys, name) is None:
            # The lowest number that is free is its own.
            setattr(sys, name, open(os.open(os.devnull, flags), mode, encoding="utf-8"))


def _say_warnings() -> None:
    """Have warnings of the package printed in one line, without a line of code."""
    show = warnings.showwarning

    def say(message: Warning | str, category: type[Warning], *place: Any) -> None:  # noqa: ANN401
        if issubclass(category, GenerativeIKWarning):
            print(f"generative-ik: warning: {message}", file=sys.stderr)
        else:
            show(message, category, *place)

    warnings.showwarning = say


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        arguments: The words after `generative-ik`; those of this process if None.

    Returns:
        The exit code: 0 done, 1 no solution or a false result, 2 misuse, 130 interrupted.
    """
    _open_closed_streams()
    words = join_numbers(sys.argv[1:] if arguments is None else arguments)
    try:
        with warnings.catch_warnings():
            _say_warnings()
            code = app(args=words, prog_name="generative-ik", standalone_mode=False)
        if code == ExitCode.INTERRUPTED:  # some releases of typer return it, others raise
            raise KeyboardInterrupt
        sys.stdout.flush()
    except GenerativeIKError as error:
        return _misuse(str(error))
    except (OSError, SystemExit) as error:
        return _output_ended(error)
    except (KeyboardInterrupt, typer.Abort):
        print("generative-ik: interrupted", file=sys.stderr)
        return ExitCode.INTERRUPTED
    except _CommandLineError as error:
        message = getattr(error, "format_message", error.__str__)()
        context = getattr(error, "ctx", None)
        verb = [word for word in words[:1] if not word.startswith("-")]
        command = context.command_path if context else " ".join(["generative-ik", *verb])
        return _misuse(f"{message} (see {command} --help)")
    return code if isinstance(code, int) else ExitCode.DONE
