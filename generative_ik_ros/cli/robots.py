"""`generative-ik robots`: the robots that come with the package, or one chain."""

from textwrap import shorten
from typing import TYPE_CHECKING, Annotated, Any

import typer

from generative_ik_ros.cli.chains import ChainOptions
from generative_ik_ros.cli.groups import with_groups
from generative_ik_ros.cli.options import Json

if TYPE_CHECKING:
    from generative_ik_ros.robot.chain import KinematicChain


@with_groups
def robots(
    *,
    arm: ChainOptions,
    full: Annotated[bool, typer.Option("--full", help="Do not shorten the sources.")] = False,
    as_json: Json = False,
) -> None:
    """List the robots that --robot can name, or describe the chain of one robot."""
    from generative_ik_ros.cli.console import console, json_text
    from generative_ik_ros.robot.known import known_robot, load_robot, robot_names

    if arm.named:
        chain = arm.chain()
        source = arm.urdf if arm.robot is None else known_robot(arm.robot).source
        rows = [_row(chain, chain.description.name, source or "")]
    else:
        rows = [_row(load_robot(name), name, known_robot(name).source) for name in robot_names()]
    if as_json:
        typer.echo(json_text(rows))
        return
    from rich.table import Table

    table = Table("robot", "DOF", "base link", "tip link", "fingerprint", "source")
    for row in rows:
        source = (
            row["source"] if full or arm.named else shorten(row["source"], 56, placeholder=" ...")
        )
        cells = (row[key] for key in ("name", "dof", "base_link", "tip_link", "fingerprint"))
        table.add_row(*map(str, cells), source)
    console().print(table)
    if arm.named:
        said = rows[0]["closed_form"] or f"none, the chain {rows[0]['why_no_closed_form']}"
        typer.echo(f"closed form: {said}")


def _row(chain: "KinematicChain", name: str, source: str) -> dict[str, Any]:
    """Return what is known of a chain, or of a tree that loops make of it."""
    from generative_ik_ros.robot.closed_form import (
        find_family,
        find_locked,
        why_no_limbs,
        why_none,
    )
    from generative_ik_ros.robot.kinematic_tree import KinematicTree

    if isinstance(chain, KinematicTree):
        family, why = None, why_no_limbs(chain)
    else:
        family = find_family(chain) or find_locked(chain)
        why = None if family else why_none(chain)
    return {
        "name": name,
        "dof": chain.num_joints,
        "base_link": chain.base_link,
        "tip_link": chain.tip_links[0],
        "fingerprint": chain.fingerprint,
        "joint_names": chain.joint_names,
        "source": source,
        "closed_form": family.name if family else None,
        "why_no_closed_form": why,
    }
