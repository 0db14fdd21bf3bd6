"""A robot and a time come in, weights of a distal net for its chain go out."""

from typing import Annotated

import typer

from generative_ik_ros.cli.chains import BaseLink, Urdf, chosen_chain
from generative_ik_ros.learned.cli import train_options as shared


def distal(
    robot: shared.Robot = None,
    urdf: Urdf = None,
    base_link: BaseLink = None,
    tip_link: shared.TipLink = None,
    missing_limits: Annotated[
        str, typer.Option(help="error, or continuous for revolute joints without limits.")
    ] = "error",
    minutes: shared.Minutes = 20.0,
    steps: shared.Steps = None,
    device: shared.Device = "auto",
    members: Annotated[
        int, typer.Option(min=1, help="Nets side by side, one answer each; 1 as the paper.")
    ] = 8,
    hidden: Annotated[int, typer.Option(min=1, help="Width of the hidden layers.")] = 96,
    layers: Annotated[int, typer.Option(min=1, help="Hidden layers.")] = 3,
    pose_input: Annotated[
        str, typer.Option(help="cylindrical, 6d, or quaternion as the paper.")
    ] = "cylindrical",
    penalty: Annotated[
        float, typer.Option(help="Lambda of equation 3: for joints beyond their limits, per rad.")
    ] = 1.0,
    position_weight: Annotated[
        float, typer.Option(help="w of equation 2; the orientation's is 1 - w.")
    ] = 0.75,
    batch: Annotated[int, typer.Option(min=0, help="Poses a step; 0 by the device.")] = 0,
    learning_rate: shared.LearningRate = 2e-3,
    threads: shared.Threads = 0,
    half: shared.Half = False,
    output: shared.Output = None,
    resume: shared.Resume = False,
    tensorboard: shared.TensorBoard = None,
    seed: shared.Seed = 0,
    as_json: shared.Json = False,
) -> None:
    """Train nets by distal teaching, for one chain: a pose in, one configuration a net out.

    Ctrl-C keeps the last checkpoint; --resume goes on from there.
    """
    chain = chosen_chain(robot, urdf, base_link, tip_link, missing_limits)
    wanted = shared.chosen_device(device, threads)
    import torch

    from generative_ik_ros.learned.checkpoint import user_weights, weights_path
    from generative_ik_ros.learned.distal.config import DistalConfig
    from generative_ik_ros.learned.training.data import PoseData
    from generative_ik_ros.learned.training.distal_task import DistalTask
    from generative_ik_ros.learned.training.distributed import local_device
    from generative_ik_ros.learned.training.options import TrainOptions

    path = shared.check_output(output or weights_path(user_weights(), "distal", chain.fingerprint))
    config = DistalConfig(
        chain.num_joints,
        members=members,
        hidden=hidden,
        layers=layers,
        pose_input=pose_input,
        # On the CPU, whose random numbers are the same on every machine: it has to fit --resume.
        position_scale=round(PoseData(chain, torch.device("cpu")).position_scale(), 6),
    )
    task = DistalTask(
        chain,
        config,
        local_device(wanted),
        penalty=penalty,
        position_weight=position_weight,
        seed=seed,
    )
    options = TrainOptions(
        minutes=minutes,
        steps=steps,
        batch=batch or (256 if wanted == "cpu" else 4096),
        learning_rate=learning_rate,
        seed=seed,
        half=half,
        tensorboard=tensorboard,
    )
    mark = chain.fingerprint
    shared.run(task, options, path, mark, resume, as_json, fingerprint=mark)
