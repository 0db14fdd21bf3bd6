"""The conditional normalizing flow, a torch module.

Layout of the weights. D coordinates, L layers, d untouched,
M = D - d transformed, H hidden, N hidden layers, C width of the pose network, F pose features:

- `pose.0.weight` (C, F + 1), `pose.2.weight` (C, C), `pose.4.weight` (L * S, C) and biases:
  leaky ReLU (0.01) between; the last input is SoftFlow's noise level c in [0, 1]. The result is,
  for every layer, S = 2 N H + M P numbers: the gains minus 1 (N, H) and the biases (N, H) of its
  coefficient network's hidden layers, then the biases of its outputs (M P): once per pose.
- `first` (L, I, H), `middle` (L, N - 1, H, H), `last` (L, H, M P): the coefficient networks,
  `row @ matrix * gain + bias`, leaky ReLU (0.01) after each hidden layer, no gain at the output:
  once per sample. Inputs: affine, the d coordinates (I = d); spline, with u in [-1, 1] the
  coordinate and a its angle from the middle of the box, d times u (0 on a circle), then d times
  sin a, then d times cos a (I = 3 d). P = 2 (raw scale, shift) or 3 K + 1, see `spline`.

`generate` goes through layers 0 to L - 1. Layer l reads the coordinates `permutations[l][:d]` and
transforms `permutations[l][d:]`. Affine layers apply equation 4 in that direction, spline layers
the inverse of the spline: training goes in the direction of the spline itself.
"""

import math

import torch
from torch import Tensor, nn
from torch.nn import functional

from generative_ik_ros.learned.ikflow.config import FlowConfig
from generative_ik_ros.learned.ikflow.pose_features import num_features, pose_features


class ConditionalFlow(nn.Module):
    """A conditional normalizing flow over configurations of one canonical chain.

    Coordinates are `JointBox` points of the joints that the flow models, [-1, 1] inside the
    limits, then padding, which is standard normal (affine) or uniform (spline) and independent of
    the joints. Densities are those of these coordinates, given the pose; outer joints that follow
    in closed form have none of their own.
    """

    def __init__(self, config: FlowConfig):
        """Make the weights; the flow starts as the identity."""
        super().__init__()
        self.config = config
        boxed = config.kind == "spline"
        layers, hidden, depth = config.layers, config.hidden, config.hidden_layers
        transformed = config.width - config.untouched
        inputs = config.untouched * (3 if boxed else 1)
        outputs = transformed * (num_coefficients(config.bins) if boxed else 2)
        answer = nn.Linear(config.condition_hidden, layers * (2 * depth * hidden + outputs))
        with torch.no_grad():
            for values in (answer.weight, answer.bias):
                values.unflatten(0, (layers, -1))[:, 2 * depth * hidden :] = 0.0
        self.pose = nn.Sequential(
            nn.Linear(num_features(config.pose_input) + 1, config.condition_hidden),
            nn.LeakyReLU(),
            nn.Linear(config.condition_hidden, config.condition_hidden),
            nn.LeakyReLU(),
            answer,
        )
        self.first = nn.Parameter(torch.randn(layers, inputs, hidden) / math.sqrt(inputs))
        self.middle = nn.Parameter(
            torch.randn(layers, depth - 1, hidden, hidden) * math.sqrt(2.0 / hidden)
        )
        self.last = nn.Parameter(torch.zeros(layers, hidden, outputs))
        self._compiled_spline = None
        self.circular: Tensor
        self.half_turn: Tensor
        self.orders: Tensor
        self.register_buffer("circular", torch.tensor(config.circular), persistent=False)
        self.register_buffer("half_turn", torch.tensor(config.half_turn), persistent=False)
        self.register_buffer("orders", torch.tensor(config.permutations), persistent=False)

    def compile_spline(self) -> None:
        """Compile the splines for training mode; batches must all have one size."""
        self._compiled_spline = torch.compile(spline, dynamic=False)

    def condition(self, last_in_first: Tensor, noise: Tensor | float = 0.0) -> Tensor:
        """Compute what the coefficient networks take from a pose, once for all its samples.

        Args:
            last_in_first: (*P, 4, 4) canonical poses [m].
            noise: (*P) SoftFlow's noise level c in [0, 1] (equation 6), 0 to sample.

        Returns:
            (*P, L, S) gains and biases of the coefficient networks.
        """
        config = self.config
        # 16 bits hold a pose to a few millimetres only: not for the first layer.
        with torch.autocast(last_in_first.device.type, enabled=False):
            features = pose_features(config, last_in_first)
            level = torch.as_tensor(noise, dtype=features.dtype, device=features.device)
            level = level.expand(features.shape[:-1])[..., None]
            biases = self.pose[0](torch.cat([features, level], dim=-1))
        for module in list(self.pose)[1:]:
            biases = module(biases)
        return biases.unflatten(-1, (config.layers, -1))

    def generate(self, base: Tensor, biases: Tensor) -> tuple[Tensor, Tensor]:
        """Turn base samples into coordinates.

        Args:
            base: (*S, D) of the base distribution: standard normal, or uniform in [0, 1].
            biases: (*P, L, S) of `condition`; P broadcasts with S.

        Returns:
            (*S, D) coordinates and (*S) log |det| of the map's Jacobian.
        """
        return self._through(base, biases, generate=True)

    def normalise(self, boxed: Tensor, biases: Tensor) -> tuple[Tensor, Tensor]:
        """Turn coordinates into base samples: the inverse of `generate`."""
        return self._through(boxed, biases, generate=False)

    def log_prob(self, boxed: Tensor, biases: Tensor) -> Tensor:
        """Return the exact logarithm of the density at coordinates (*S, D), shape (*S).

        The density is per unit of the coordinates; for one per radian or metre subtract the sum
        of the logarithms of the box's half widths.
        """
        base, log_det = self.normalise(boxed, biases)
        return log_det + self.base_log_prob(base)

    def base_log_prob(self, base: Tensor) -> Tensor:
        """Return the logarithm of the base density at (*S, D), shape (*S)."""
        if self.config.kind == "spline":
            return base.new_zeros(base.shape[:-1])
        return -0.5 * (base * base + math.log(2.0 * math.pi)).sum(-1)

    def _through(self, x: Tensor, biases: Tensor, *, generate: bool) -> tuple[Tensor, Tensor]:
        """Apply all layers, forwards or backwards."""
        config = self.config
        boxed = config.kind == "spline"
        if boxed and not generate:
            x = (x + 1.0) / 2.0
        columns = list(x.unbind(-1))
        # Unbound at once: the gradient of each indexed part would be a full tensor of zeros.
        by_layer = biases.unbind(-2)
        matrices = list(
            zip(*(w.unbind(0) for w in (self.first, self.middle, self.last)), strict=True)
        )
        log_det = x.new_zeros(())
        layers = range(config.layers)
        for layer in layers if generate else reversed(layers):
            order = config.permutations[layer]
            kept, moved = order[: config.untouched], order[config.untouched :]
            given = torch.stack([columns[i] for i in kept], dim=-1)
            coefficients = self._coefficients(layer, given, matrices[layer], by_layer[layer])
            coefficients = coefficients.unflatten(-1, (len(moved), -1))
            before = torch.stack([columns[i] for i in moved], dim=-1)
            if boxed:
                circular = self.circular[self.orders[layer, config.untouched :]]
                compiled = self._compiled_spline if self.training else None
                bend = compiled or spline
                after, slopes = bend(before, coefficients, circular, inverse=generate)
            else:
                after, slopes = affine(before, coefficients, config.clamp, inverse=not generate)
            log_det = log_det + slopes.sum(-1)
            for i, column in zip(moved, after.unbind(-1), strict=True):
                columns[i] = column
        shape = log_det.shape
        x = torch.stack([column.expand(shape) for column in columns], dim=-1)
        if not boxed:
            return x, log_det
        # The spline's box has width 1, the coordinates' 2.
        if generate:
            return 2.0 * x - 1.0, log_det + config.width * math.log(2.0)
        return x, log_det - config.width * math.log(2.0)

    def _coefficients(
        self, layer: int, given: Tensor, matrices: tuple[Tensor, Tensor, Tensor], biases: Tensor
    ) -> Tensor:
        """Evaluate a coefficient network, h in equation 3."""
        config = self.config
        if config.kind == "spline":
            kept = self.orders[layer, : config.untouched]
            centred = 2.0 * given - 1.0
            turns = torch.where(self.circular, math.pi, self.half_turn)[kept] * centred
            line = torch.where(self.circular[kept], 0.0, centred)
            given = torch.cat([line, torch.sin(turns), torch.cos(turns)], dim=-1)
        first, middle, last = matrices
        inner = config.hidden_layers * config.hidden
        parts = biases.split([inner, inner, last.shape[-1]], dim=-1)
        gains, shifts = (part.split(config.hidden, dim=-1) for part in parts[:2])
        with torch.autocast(given.device.type, enabled=False):
            row = given @ first
        row = functional.leaky_relu(torch.addcmul(shifts[0] + row, row, gains[0]))
        for matrix, gain, shift in zip(middle.unbind(0), gains[1:], shifts[1:], strict=True):
            row = row @ matrix
            row = functional.leaky_relu(torch.addcmul(shift + row, row, gain))
        return (row @ last + parts[2]).to(self.last.dtype)


def affine(
    x: Tensor, coefficients: Tensor, clamp: float, *, inverse: bool = False
) -> tuple[Tensor, Tensor]:
    """Apply IKFlow's equation 4, y = x exp(s) + t, or its inverse.

    The logarithmic scale is bounded softly, s = 2 clamp / pi atan(raw / clamp), so that a layer
    can neither explode nor collapse (L. Ardizzone et al., FrEIA, 2018).

    Args:
        x: (..., M).
        coefficients: (..., M, 2) raw scale and shift.
        clamp: Bound of |s|.
        inverse: Whether to apply the inverse function.

    Returns:
        (..., M) coordinates and (..., M) logarithms of the slope of the function applied.
    """
    raw, t = coefficients.unbind(-1)
    s = clamp * (2.0 / math.pi) * torch.atan(raw / clamp)
    if inverse:
        return (x - t) * torch.exp(-s), -s
    return x * torch.exp(s) + t, s


def num_coefficients(bins: int) -> int:
    """Return the number of coefficients of a spline."""
    return 3 * bins + 1


def spline(
    x: Tensor, coefficients: Tensor, circular: Tensor, *, inverse: bool = False
) -> tuple[Tensor, Tensor]:
    """Apply monotonic rational-quadratic splines (Durkan et al., Neural spline flows, 2019).

    On the interval the two ends are fixed and have slopes of their own. On the circle both ends
    have the same slope, and the spline is followed by a rotation (Rezende et al., Normalizing
    flows on tori and spheres, 2020).

    Args:
        x: (..., M) points of [0, 1].
        coefficients: (..., M, 3 K + 1) unconstrained: K widths, K heights, K slopes at the bins'
            lower ends, then the slope at 1 or, for a circle, the rotation in full turns.
        circular: (M,) which coordinates are circles.
        inverse: Whether to apply the inverse function.

    Returns:
        (..., M) points of [0, 1] and (..., M) logarithms of the slope of the function applied.
    """
    widths, heights, slopes, rotation = _constrained(coefficients, circular)
    if inverse:
        x = torch.where(circular, x - rotation - torch.floor(x - rotation), x)
    x = x.clamp(0.0, 1.0)
    ends = functional.pad((heights if inverse else widths).cumsum(-1)[..., :-1], (1, 0))
    index = (x[..., None] >= ends[..., 1:]).sum(-1, keepdim=True)
    other = functional.pad((widths if inverse else heights).cumsum(-1)[..., :-1], (1, 0))

    def pick(values: Tensor) -> Tensor:
        return values.gather(-1, index).squeeze(-1)

    start, begin = pick(ends), pick(other)
    width, height = pick(widths), pick(heights)
    low, high = pick(slopes), slopes.gather(-1, index + 1).squeeze(-1)
    mean = height / width
    bend = low + high - 2.0 * mean
    if inverse:
        rise = x - start
        a = rise * bend + height * (mean - low)
        b = height * low - rise * bend
        c = -mean * rise
        root = torch.sqrt((b * b - 4.0 * a * c).clamp(min=0.0))
        t = (2.0 * c / (-b - root)).clamp(0.0, 1.0)
        y = begin + t * width
    else:
        t = ((x - start) / width).clamp(0.0, 1.0)
        y = begin + height * (mean * t * t + low * t * (1.0 - t)) / (mean + bend * t * (1.0 - t))
    slope = (
        mean
        * mean
        * (high * t * t + 2.0 * mean * t * (1.0 - t) + low * (1.0 - t) ** 2)
        / (mean + bend * t * (1.0 - t)) ** 2
    )
    log_slope = torch.log(slope)
    if inverse:
        return y.clamp(0.0, 1.0), -log_slope
    y = torch.where(circular, y + rotation - torch.floor(y + rotation), y)
    return y.clamp(0.0, 1.0), log_slope


def _constrained(coefficients: Tensor, circular: Tensor) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Return widths and heights (..., M, K), slopes (..., M, K + 1) and rotations (..., M)."""
    bins = coefficients.shape[-1] // 3
    least = 1e-3  # of all but rotations
    widths, heights, slopes, last = coefficients.split([bins, bins, bins, 1], dim=-1)
    widths, heights = (
        least + (1.0 - least * bins) * functional.softmax(part, dim=-1)
        for part in (widths, heights)
    )
    slopes = torch.cat([slopes, torch.where(circular[:, None], slopes[..., :1], last)], dim=-1)
    # Softplus makes a slope of 1 of it: coefficients of 0 are the identity.
    of_one = math.log(math.expm1(1.0 - least))
    slopes = least + functional.softplus(slopes + of_one)
    return widths, heights, slopes, torch.where(circular, last.squeeze(-1), 0.0)
