"""A robot and a time come in, weights of a learned sampler for its chain go out."""

from typing import Annotated

import typer

from generative_ik_ros.cli.chains import BaseLink, Urdf, chosen_chain
from generative_ik_ros.errors import UnknownNameError
from generative_ik_ros.learned.cli import train_curve, train_distal, train_ggik
from generative_ik_ros.learned.cli import train_options as shared

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
    robot: shared.Robot = None,
    urdf: Urdf = None,
    base_link: BaseLink = None,
    tip_link: shared.TipLink = None,
    minutes: shared.Minutes = 20.0,
    steps: shared.Steps = None,
    device: shared.Device = "auto",
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
    learning_rate: shared.LearningRate = 3e-3,
    threads: shared.Threads = 0,
    compiled: shared.Compiled = False,
    bf16: shared.Bf16 = False,
    tf32: shared.Tf32 = False,
    half: shared.Half = False,
    evaluate_every: shared.EvaluateEvery = 120.0,
    output: shared.Output = None,
    resume: shared.Resume = False,
    start_from: shared.StartFrom = None,
    tensorboard: shared.TensorBoard = None,
    seed: shared.Seed = 0,
    as_json: shared.Json = False,
) -> None:
    """Train IKFlow, a conditional normalizing flow, for one chain.

    Ctrl-C keeps the last checkpoint; --resume goes on from there. Several processes: torchrun
    --nproc-per-node N -m generative_ik_ros train ikflow ...
    """
    chain = chosen_chain(robot, urdf, base_link, tip_link)
    if joints not in _JOINTS:
        raise UnknownNameError("choice of joints", joints, _JOINTS)
    wanted = shared.chosen_device(device, threads, tf32)
    import torch

    from generative_ik_ros.learned.checkpoint import user_weights, weights_path
    from generative_ik_ros.learned.ikflow.weights import config_for, load_flow
    from generative_ik_ros.learned.training.data import PoseData
    from generative_ik_ros.learned.training.distributed import local_device
    from generative_ik_ros.learned.training.ikflow_task import FlowTask
    from generative_ik_ros.learned.training.options import TrainOptions
    from generative_ik_ros.learned.training.probe import SAMPLES, solution_probe
    from generative_ik_ros.learned.training.task import Probe

    where = local_device(wanted)
    path = shared.check_output(output or weights_path(user_weights(), "ikflow", chain.fingerprint))
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
    mark = chain.fingerprint
    shared.run(task, options, path, mark, resume, as_json, fingerprint=mark)
