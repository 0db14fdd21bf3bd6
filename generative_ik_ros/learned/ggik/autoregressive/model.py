"""The autoregressive model: one joint's density given the links that are left and the goal.

The papers complete a partial graph at once, from latent variables. This model completes it joint
by joint: once a joint is placed, the next axis is known, and what remains is the partial graph of
a shorter arm with that axis as its base. So one network serves every joint of every arm. It reads
the links that are left through a recurrent network that runs along them from the tip (J. Chung et
al., Empirical evaluation of gated recurrent neural networks, 2014), and the goal as distances and
angles. The likelihood of a configuration is the product of its joints' (as in R. Bensadoun et
al., Neural inverse kinematics, ICML 2022, for one robot): no latent variables, no bound.
"""

from torch import Tensor, nn
from torch.nn import functional

from generative_ik_ros.learned.ggik.autoregressive.goal_features import GOAL_FEATURES
from generative_ik_ros.learned.ggik.autoregressive.von_mises import PARTS, VonMisesMixture
from generative_ik_ros.learned.ggik.config import AutoregressiveConfig
from generative_ik_ros.learned.graph.links import LINK_FEATURES, Links


class ResidualBlock(nn.Module):
    """Two layers with a skip connection.

    Args:
        hidden: Width.
    """

    def __init__(self, hidden: int):
        """Make the weights."""
        super().__init__()
        self.first = nn.Linear(hidden, hidden)
        self.second = nn.Linear(hidden, hidden)

    def forward(self, nodes: Tensor) -> Tensor:
        """Return (*B, H) of (*B, H)."""
        return nodes + self.second(functional.silu(self.first(functional.silu(nodes))))


class AutoregressiveModel(nn.Module):
    """A recurrent encoder of links, and a network that predicts a joint.

    The names of its layers are those of the tensors in weight files.

    Args:
        config: The model's shape.
    """

    def __init__(self, config: AutoregressiveConfig):
        """Make the weights."""
        super().__init__()
        self.config = config
        hidden, memory = config.hidden, config.memory
        self.reader = nn.GRUCell(LINK_FEATURES, memory)
        self.sight = nn.Linear(GOAL_FEATURES, hidden)
        self.left = nn.Linear(memory, 2 * hidden)
        self.rounds = [ResidualBlock(hidden) for _ in range(config.blocks)]
        self.blocks = nn.ModuleList(self.rounds)
        self.head = nn.Linear(hidden, PARTS * config.components)

    def encode(self, links: Links) -> list[Tensor]:
        """Return the encodings (*A, 2 H) of what is left of arms (*A) at each of their joints."""
        features = links.features
        shape = features.shape[:-2]
        memory = features.new_zeros((shape.numel(), self.config.memory))
        encodings = []
        for joint in reversed(range(links.num_joints)):
            memory = self.reader(features[..., joint, :].reshape(-1, LINK_FEATURES), memory)
            encodings.append(self.left(memory).reshape(*shape, -1))
        return encodings[::-1]

    def forward(self, encoding: Tensor, goal_features: Tensor) -> VonMisesMixture:
        """Return the density of a joint's angle, see `goal_features.displacement_from`.

        Args:
            encoding: (*B, 2 H) of `encode`; broadcasts.
            goal_features: (*B, GOAL_FEATURES) of `GoalView`.
        """
        shift, gate = encoding.chunk(2, dim=-1)
        nodes = self.sight(goal_features) * (1.0 + gate) + shift
        for block in self.rounds:
            nodes = block(nodes)
        return VonMisesMixture.of(self.head(functional.silu(nodes)))
