"""One network for every head: a hidden layer over the model's states plus a linear part over the surface, trained jointly."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from rapport_server.analysis.head import Head

Floats = NDArray[np.float32]

WORD_POWER = 0.5


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a head is trained; `softmax` for one answer of many, else each output for itself."""

    softmax: bool
    hidden: int
    epochs: int
    folds: int = 5
    rate: float = 1e-3
    weight_decay: float = 1e-2
    words_decay: float = 0.0
    words_rate: float = 1e-2
    dropout: float = 0.3
    input_dropout: float = 0.1
    words_dropout: float = 0.2
    batch: int = 256
    words_min: int = 4
    smoothing: float = 0.0


@dataclass(frozen=True, slots=True)
class Examples:
    """inputs (n, width), the tokens of each text, targets (n, outputs) and weights (n,)."""

    inputs: Floats
    tokens: Sequence[Sequence[str]]
    targets: Floats
    weights: Floats

    def at(self, rows: NDArray[np.intp]) -> "Examples":
        """The chosen rows."""
        return Examples(
            self.inputs[rows],
            [self.tokens[row] for row in rows],
            self.targets[rows],
            self.weights[rows],
        )


def vocabulary(tokens: Sequence[Sequence[str]], count_min: int) -> dict[str, int]:
    """Features seen in at least `count_min` texts, numbered in a fixed order."""
    counts = Counter(token for row in tokens for token in row)
    kept = sorted(token for token, count in counts.items() if count >= count_min)
    return {token: number for number, token in enumerate(kept)}


class _Net(nn.Module):
    def __init__(self, recipe: Recipe, width: int, words: int, outputs: int, scale: float) -> None:
        super().__init__()
        self.scale = scale
        self.input_drop = nn.Dropout(recipe.input_dropout)
        self.drop = nn.Dropout(recipe.dropout)
        self.hidden = nn.Linear(width, recipe.hidden)
        self.out = nn.Linear(recipe.hidden, outputs)
        self.words = nn.EmbeddingBag(words + 1, outputs, mode="sum", padding_idx=words)
        nn.init.zeros_(self.words.weight)

    def forward(self, inputs: Tensor, ids: Tensor, shares: Tensor) -> Tensor:
        hidden = torch.relu(self.hidden(self.input_drop(inputs * self.scale)))
        logits: Tensor = self.out(self.drop(hidden)) + self.words(ids, per_sample_weights=shares)
        return logits


def train(examples: Examples, recipe: Recipe) -> tuple[Head, Floats]:
    """The average of one network per fold as one head, and each row's logits from the network that did not see it."""
    words = vocabulary(examples.tokens, recipe.words_min)
    folds = np.random.default_rng(7).permutation(len(examples.inputs)) % recipe.folds
    outside = np.zeros_like(examples.targets)
    nets = []
    for fold in range(recipe.folds):
        seen, unseen = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        net = _fit(examples.at(seen), recipe, words, seed=fold)
        nets.append(net)
        outside[unseen] = _logits(net, examples.at(unseen), words)
    return _merged(nets, words), outside


def _fit(examples: Examples, recipe: Recipe, words: dict[str, int], seed: int) -> _Net:
    torch.manual_seed(seed)
    outputs = examples.targets.shape[1]
    # Inputs of about variance 1.
    scale = float(1.0 / np.sqrt(np.mean(examples.inputs**2)))
    net = _Net(recipe, examples.inputs.shape[1], len(words), outputs, scale)
    ids, shares = bags(examples.tokens, words)
    targets, weights = torch.from_numpy(examples.targets), torch.from_numpy(examples.weights)
    inputs = torch.from_numpy(examples.inputs)
    decayed = [*net.hidden.parameters(), *net.out.parameters()]
    optimiser = torch.optim.AdamW(
        [
            {"params": decayed, "lr": recipe.rate, "weight_decay": recipe.weight_decay},
            {
                "params": net.words.parameters(),
                "lr": recipe.words_rate,
                "weight_decay": recipe.words_decay,
            },
        ]
    )
    steps = recipe.epochs * -(-len(inputs) // recipe.batch)
    schedule = torch.optim.lr_scheduler.OneCycleLR(
        optimiser, [recipe.rate, recipe.words_rate], total_steps=steps, pct_start=0.1
    )
    net.train()
    for _ in range(recipe.epochs):
        for rows in torch.split(torch.randperm(len(inputs)), recipe.batch):
            kept = torch.rand(ids[rows].shape) >= recipe.words_dropout
            logits = net(inputs[rows], ids[rows], shares[rows] * kept)
            loss = (_losses(logits, targets[rows], recipe) * weights[rows]).mean()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            schedule.step()
    return net.eval()


def _losses(logits: Tensor, targets: Tensor, recipe: Recipe) -> Tensor:
    if recipe.softmax:
        return nn.functional.cross_entropy(
            logits, targets, reduction="none", label_smoothing=recipe.smoothing
        )
    return nn.functional.binary_cross_entropy_with_logits(logits, targets, reduction="none").sum(1)


def bags(tokens: Sequence[Sequence[str]], words: dict[str, int]) -> tuple[Tensor, Tensor]:
    """Numbers of the known features, padded, and the share of each: 1/√(how many), so that a long text is no louder."""
    rows = [[words[token] for token in row if token in words] for row in tokens]
    width = max(1, max(map(len, rows)))
    ids = np.full((len(rows), width), len(words), dtype=np.int64)
    shares = np.zeros((len(rows), width), dtype=np.float32)
    for place, row in enumerate(rows):
        ids[place, : len(row)] = row
        shares[place, : len(row)] = 1.0 / max(1, len(row)) ** WORD_POWER
    return torch.from_numpy(ids), torch.from_numpy(shares)


@torch.inference_mode()
def _logits(net: _Net, examples: Examples, words: dict[str, int]) -> Floats:
    logits: Floats = net(torch.from_numpy(examples.inputs), *bags(examples.tokens, words)).numpy()
    return logits


def _merged(nets: Sequence[_Net], words: dict[str, int]) -> Head:
    """The mean of the networks' logits is one wider network."""

    def each(name: str) -> list[Floats]:
        return [net.state_dict()[name].numpy() for net in nets]

    return Head(
        words=words,
        word_weights=np.mean(each("words.weight"), axis=0)[: len(words)],
        word_power=np.array([WORD_POWER], dtype=np.float32),
        hidden_weights=np.concatenate(
            [net.hidden.weight.detach().numpy() * np.float32(net.scale) for net in nets]
        ).T,
        hidden_bias=np.concatenate(each("hidden.bias")),
        out_weights=np.concatenate(each("out.weight"), axis=1).T / np.float32(len(nets)),
        out_bias=np.mean(each("out.bias"), axis=0),
    )
