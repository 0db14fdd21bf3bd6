"""What is left of an arm and what its goal looks like in, how likely each position is out.

Where the papers complete a partial graph at once, from latents, this network completes it joint
by joint. Once a joint is placed the next axis is known, and what remains is the partial graph of
a shorter arm, with that axis as its base. So one network serves every joint of every arm. It
hears of the links that are left by messages that run along them from the tip to the joint
(J. Chung et al., Empirical evaluation of gated recurrent neural networks, 2014), and of the goal
by distances and angles. There are no latents and no bound: the likelihood of a configuration is
the product of its joints' (as in R. Bensadoun et al., Neural inverse kinematics, ICML 2022, for
one robot).
"""

from torch import Tensor, nn
from torch.nn import functional

from generative_ik_ros.learned.ggik.circle import PARTS, CircleMixture
from generative_ik_ros.learned.ggik.config import WalkConfig
from generative_ik_ros.learned.ggik.steps import SIGHTS
from generative_ik_ros.learned.graph.links import TOKENS, Links


class Block(nn.Module):
    """Two layers and a way around them.

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


class Walk(nn.Module):
    """The generator that goes joint by joint.

    Args:
        config: The model's shape.
    """

    def __init__(self, config: WalkConfig):
        """Make the weights."""
        super().__init__()
        self.config = config
        hidden, memory = config.hidden, config.memory
        self.reader = nn.GRUCell(TOKENS, memory)
        self.sight = nn.Linear(SIGHTS, hidden)
        self.left = nn.Linear(memory, 2 * hidden)
        self.rounds = [Block(hidden) for _ in range(config.blocks)]
        self.blocks = nn.ModuleList(self.rounds)
        self.head = nn.Linear(hidden, PARTS * config.components)

    def arms_left(self, links: Links) -> list[Tensor]:
        """Return what is left of arms (*A) at each of their m joints, (*A, 2 H) each."""
        tokens = links.tokens
        shape = tokens.shape[:-2]
        memory = tokens.new_zeros((shape.numel(), self.config.memory))
        heard = []
        for joint in reversed(range(links.num_joints)):
            memory = self.reader(tokens[..., joint, :].reshape(-1, TOKENS), memory)
            heard.append(self.left(memory).reshape(*shape, -1))
        return heard[::-1]

    def forward(self, left: Tensor, numbers: Tensor) -> CircleMixture:
        """Return how likely angles are, see `steps.told`.

        Args:
            left: (*B, 2 H) of `arms_left`; broadcasts.
            numbers: (*B, SIGHTS) of `Sight`.
        """
        shift, gate = left.chunk(2, dim=-1)
        nodes = self.sight(numbers) * (1.0 + gate) + shift
        for block in self.rounds:
            nodes = block(nodes)
        return CircleMixture.of(self.head(functional.silu(nodes)))
