"""`generative-ik robots`: the robots that come with the package, or the chain of a URDF."""

from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

import typer

from generative_ik_ros.cli.chains import BaseLink, MissingLimits, TipLink, Urdf

if TYPE_CHECKING:
    from generative_ik_ros.robot.chain import KinematicChain

_SHORT = 56
"""Characters of a source that the table shows."""


def robots(
    urdf: Urdf = None,
    base_link: BaseLink = None,
    tip_link: TipLink = None,
    missing_limits: MissingLimits = "error",
    full: Annotated[bool, typer.Option("--full", help="Do not shorten the sources.")] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print JSON instead of a table.")
    ] = False,
) -> None:
    """List the robots that can be named with --robot, or say what a URDF's chain is."""
    from generative_ik_ros.cli.chains import chosen_chain
    from generative_ik_ros.cli.console import console, json_text
    from generative_ik_ros.robot.known import known_robot, load_robot, robot_names

    if urdf is not None:
        chain = chosen_chain(None, urdf, base_link, tip_link, missing_limits)
        rows = [_row(chain, chain.description.name, urdf)]
    else:
        rows = [_row(load_robot(name), name, known_robot(name).source) for name in robot_names()]
    if as_json:
        typer.echo(json_text(rows))
        return
    from rich.table import Table

    table = Table("robot", "DOF", "base link", "tip link", "fingerprint", "source")
    for row in rows:
        source = row["source"] if full else shorten(row["source"], _SHORT, placeholder=" ...")
        cells = (row[key] for key in ("name", "dof", "base_link", "tip_link", "fingerprint"))
        table.add_row(*map(str, cells), source)
    console().print(table)
    if urdf is not None:
        said = rows[0]["closed_form"] or f"none, the chain {rows[0]['why_no_closed_form']}"
        typer.echo(f"closed form: {said}")


def _row(chain: "KinematicChain", name: str, source: str) -> dict[str, Any]:
    """Return what is known of a chain."""
    from generative_ik_ros.closed_form.family import find_family, why_none

    family = find_family(chain)
    return {
        "name": name,
        "dof": chain.num_joints,
        "base_link": chain.base_link,
        "tip_link": chain.tip_link,
        "fingerprint": chain.fingerprint,
        "joint_names": chain.joint_names,
        "source": source,
        "closed_form": family.name if family else None,
        "why_no_closed_form": None if family else why_none(chain),
    }
