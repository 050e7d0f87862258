"""From a sentence-transformers model to one graph: tracing by torch, converting by OpenVINO."""

import warnings
from typing import Any

import openvino
import torch
from torch import Tensor

# What tracing sees; any other shape must work as well, which the caller checks.
_TRACED_SHAPE = (2, 8)


def convert(model: Any) -> openvino.Model:
    """A `SentenceTransformer` without a prompt, traced once. Raises whatever tracing or converting raises."""
    example = torch.ones(_TRACED_SHAPE, dtype=torch.long)
    with warnings.catch_warnings(), torch.no_grad():
        # Tracing warns of every branch that depends on a shape. Its own check takes longer than all the rest, and whoever
        # uses the graph compares its vectors anyway.
        warnings.simplefilter("ignore")
        traced = torch.jit.trace(  # type: ignore[no-untyped-call]
            Sentences(model), (example, example), check_trace=False, strict=False
        )
        return openvino.convert_model(traced)


class Sentences(torch.nn.Module):
    """All modules of a `SentenceTransformer` on token ids: the vectors, brought to length 1, and the inner states if it has any."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        model[0].auto_model.config.output_hidden_states = True
        self._modules_in_order = torch.nn.ModuleList(model)

    def forward(self, ids: Tensor, mask: Tensor) -> tuple[Tensor, ...]:
        """Both int64 (rows, tokens), padded on the right; answers float32 (rows, dimension), once or twice."""
        features = {"input_ids": ids, "attention_mask": mask}
        for module in self._modules_in_order:
            features = module(features)
        vectors = torch.nn.functional.normalize(features["sentence_embedding"].float(), dim=1)
        layers = features.get("all_layer_embeddings")
        if layers is None:
            return (vectors,)
        # The first is what goes into the lowest layer.
        states = layers[2 * (len(layers) - 1) // 3].float()
        shares = (mask / mask.sum(dim=1, keepdim=True)).float()
        return vectors, (states * shares[..., None]).sum(dim=1)
