"""A robot and a time come in, weights of a learned sampler for its chain go out."""

from typing import TYPE_CHECKING, Annotated

import typer

from generative_ik_ros.cli import train_curve, train_distal, train_ggik
from generative_ik_ros.cli.options import MaybeCount, MaybePath, MaybeText
from generative_ik_ros.cli.train_options import DEVICES, print_progress, require_torch
from generative_ik_ros.errors import InvalidArgumentError, UnknownNameError

if TYPE_CHECKING:
    from generative_ik_ros.robot.chain import KinematicChain

app = typer.Typer(help="Train a learned sampler; IKSolver finds the weights by the chain.")


_JOINTS = ("inner", "all")

app.command("curve")(train_curve.curve)
app.command("ggik")(train_ggik.ggik)
app.command("distal")(train_distal.distal)


@app.callback()
def _group() -> None:
    """Keep the name of the model a word of its own, also while there is only one."""


@app.command("ikflow")
def ikflow(
    robot: Annotated[MaybeText, typer.Option(help="A robot that ships with the package.")] = None,
    urdf: Annotated[MaybeText, typer.Option(metavar="FILE", help="Any URDF file.")] = None,
    base_link: Annotated[MaybeText, typer.Option(help="Where the chain starts.")] = None,
    tip_link: Annotated[MaybeText, typer.Option(help="Where it ends.")] = None,
    minutes: Annotated[float, typer.Option(help="Time to train; the schedule fits it.")] = 20.0,
    steps: Annotated[
        MaybeCount, typer.Option(min=1, help="Train so many steps instead, however long it takes.")
    ] = None,
    device: Annotated[str, typer.Option(help="auto, cpu or cuda.")] = "auto",
    model: Annotated[
        str, typer.Option(help="spline (inside the limits) or coupling (as the paper).")
    ] = "spline",
    joints: Annotated[
        str,
        typer.Option(
            help="inner (outer ones in closed form where they follow), or all as the paper."
        ),
    ] = "inner",
    layers: Annotated[
        int, typer.Option(min=0, help="Coupling layers; 0 for twice the coordinates.")
    ] = 0,
    width: Annotated[
        int, typer.Option(min=0, help="Coordinates: joints and padding; 0 for no padding.")
    ] = 0,
    untouched: Annotated[
        int,
        typer.Option(min=0, help="Coordinates a layer leaves; 0 for all but one, coupling: half."),
    ] = 0,
    hidden: Annotated[int, typer.Option(min=1, help="Width of the coefficient networks.")] = 16,
    hidden_layers: Annotated[int, typer.Option(min=1, help="Their hidden layers.")] = 2,
    condition_hidden: Annotated[
        int, typer.Option(min=1, help="Width of the network that reads the pose.")
    ] = 64,
    bins: Annotated[int, typer.Option(min=2, help="Bins of a spline.")] = 4,
    pose_input: Annotated[
        str,
        typer.Option(help="turned, reduced, cylindrical, 6d, or quaternion as the paper."),
    ] = "turned",
    noise_scale: Annotated[float, typer.Option(help="Of SoftFlow, in half ranges.")] = 1e-3,
    batch: Annotated[int, typer.Option(min=0, help="Samples a step; 0 by the device.")] = 0,
    learning_rate: Annotated[float, typer.Option(help="At its highest.")] = 3e-3,
    threads: Annotated[int, typer.Option(min=0, help="CPU threads; 0 is PyTorch's choice.")] = 0,
    compiled: Annotated[
        bool, typer.Option("--compile/--no-compile", help="Use torch.compile.")
    ] = False,
    bf16: Annotated[bool, typer.Option("--bf16", help="Multiply in bfloat16.")] = False,
    tf32: Annotated[bool, typer.Option("--tf32", help="Multiply in TensorFloat-32.")] = False,
    half: Annotated[bool, typer.Option("--half", help="Write 16 bit weights.")] = False,
    evaluate_every: Annotated[
        float, typer.Option(min=0.0, help="Seconds between evaluations; 0 is only at the end.")
    ] = 120.0,
    output: Annotated[
        MaybePath, typer.Option(metavar="FILE", help="Weights; else the user's folder.")
    ] = None,
    resume: Annotated[bool, typer.Option("--resume", help="Go on where it stopped.")] = False,
    start_from: Annotated[
        MaybePath,
        typer.Option(metavar="FILE", help="Begin with these weights; they say what the model is."),
    ] = None,
    tensorboard: Annotated[
        MaybePath, typer.Option(metavar="DIR", help="Write a TensorBoard log.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="The same seed, the same training.")] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="Print the summary as JSON.")] = False,
) -> None:
    """Train IKFlow, a conditional normalizing flow, for one chain.

    Ctrl-C keeps the last checkpoint; --resume goes on from there. Several processes: torchrun
    --nproc-per-node N -m generative_ik_ros train ikflow ...
    """
    chain = _chain(robot, urdf, base_link, tip_link)
    if device not in DEVICES:
        raise UnknownNameError("device", device, DEVICES)
    if joints not in _JOINTS:
        raise UnknownNameError("choice of joints", joints, _JOINTS)
    require_torch()
    import torch

    from generative_ik_ros.evaluation.reproduce.probe import SAMPLES, solution_probe
    from generative_ik_ros.samplers.checkpoint import SUFFIX, user_weights, weights_path
    from generative_ik_ros.samplers.ikflow.weights import config_for, load_flow
    from generative_ik_ros.training.data import PoseData
    from generative_ik_ros.training.distributed import local_device
    from generative_ik_ros.training.ikflow_task import FlowTask
    from generative_ik_ros.training.loop import train
    from generative_ik_ros.training.options import TrainOptions
    from generative_ik_ros.training.task import Probe

    if threads:
        torch.set_num_threads(threads)
    if device == "cuda" and not torch.cuda.is_available():
        raise InvalidArgumentError("device 'cuda' was asked for, but there is no CUDA device")
    wanted = "cuda" if device != "cpu" and torch.cuda.is_available() else "cpu"
    if tf32:
        torch.set_float32_matmul_precision("high")
    where = local_device(wanted)
    path = output or weights_path(user_weights(), "ikflow", chain.fingerprint)
    if path.suffix != SUFFIX:
        raise InvalidArgumentError(f"--output must end in {SUFFIX}, not '{path}'")
    options = TrainOptions(
        minutes=minutes,
        steps=steps,
        batch=batch or (1024 if wanted == "cpu" else 8192),
        learning_rate=learning_rate,
        evaluate_every=evaluate_every,
        seed=seed,
        half=half,
        tensorboard=tensorboard,
    )
    config = config_for(
        chain,
        kind=model,
        layers=layers or None,
        width=width or None,
        untouched=untouched or None,
        closed=() if joints == "all" else None,
        # On the CPU, whose random numbers are the same on every machine: it has to fit --resume.
        position_scale=round(PoseData(chain, torch.device("cpu")).position_scale(), 6),
        seed=seed,
        hidden=hidden,
        hidden_layers=hidden_layers,
        condition_hidden=condition_hidden,
        bins=bins,
        pose_input=pose_input,
        noise_scale=noise_scale,
    )
    weights = None
    if start_from is not None:
        flow, _ = load_flow(start_from, chain)
        config, weights = flow.config, flow.state_dict()
    targets, discrepancy = solution_probe(chain)
    probe = Probe(targets, SAMPLES, discrepancy)
    task = FlowTask(chain, config, where, seed=seed, compiled=compiled, bf16=bf16, probe=probe)
    if weights is not None:
        task.model.load_state_dict(weights)
    summary = train(
        task, options, path, fingerprint=chain.fingerprint, resume=resume, report=print_progress
    )
    if not summary:  # not the first of several processes
        return
    if as_json:
        from generative_ik_ros.cli.console import json_text

        typer.echo(json_text({"file": path, "fingerprint": chain.fingerprint} | summary))
        return
    typer.echo(f"wrote {path}")


def _chain(
    robot: str | None, urdf: str | None, base_link: str | None, tip_link: str | None
) -> "KinematicChain":
    if (robot is None) == (urdf is None):
        raise InvalidArgumentError("give either --robot NAME or --urdf FILE")
    from generative_ik_ros.robot.chain import KinematicChain
    from generative_ik_ros.robot.known import load_robot, robot_urdf_path

    if robot is None:
        from pathlib import Path

        return KinematicChain.from_urdf(Path(str(urdf)), base_link, tip_link)
    if base_link is None and tip_link is None:
        return load_robot(robot)
    known = load_robot(robot)
    return KinematicChain.from_urdf(
        robot_urdf_path(robot), base_link or known.base_link, tip_link or known.tip_link
    )
