"""The model as one OpenVINO graph, from token ids to unit vectors: on CPUs two to three times as fast as torch."""

import sys
import warnings
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

# OpenVINO reports every import to its vendor through this package, and is silent without it.
sys.modules.setdefault("openvino_telemetry", None)  # type: ignore[arg-type]
import openvino  # noqa: E402

# Passes of a few hundred tokens do not divide over more cores than this.
THREADS_MAX = 8
# What tracing sees; any other shape must work as well, which the caller checks.
_TRACED_SHAPE = (2, 8)


class SentenceGraph:
    """A `SentenceTransformer` without a prompt, traced once and compiled. Raises whatever tracing or compiling raises."""

    def __init__(self, model: Any) -> None:
        example = torch.ones(_TRACED_SHAPE, dtype=torch.long)
        with warnings.catch_warnings(), torch.no_grad():
            # Tracing warns of every branch that depends on a shape. Its own check takes longer than all the rest, and
            # whoever uses the graph compares its vectors anyway.
            warnings.simplefilter("ignore")
            traced = torch.jit.trace(  # type: ignore[no-untyped-call]
                Sentences(model), (example, example), check_trace=False, strict=False
            )
            graph = openvino.convert_model(traced)
        settings = {
            "PERFORMANCE_HINT": "LATENCY",
            # Some CPUs would otherwise compute in bfloat16, whose vectors are others.
            "INFERENCE_PRECISION_HINT": "f32",
            # A thread bound to a core waits for it when the event loop or the database is there.
            "ENABLE_CPU_PINNING": False,
            "INFERENCE_NUM_THREADS": min(torch.get_num_threads(), THREADS_MAX),
        }
        self._request = openvino.compile_model(graph, "CPU", settings).create_infer_request()

    def __call__(self, ids: NDArray[np.int64], mask: NDArray[np.int64]) -> NDArray[np.float32]:
        """Both (rows, tokens), padded on the right; answers (rows, dimension) of length 1."""
        self._request.infer([ids, mask], share_inputs=True)
        return np.array(self._request.get_output_tensor(0).data, dtype=np.float32)


class Sentences(torch.nn.Module):
    """All modules of a `SentenceTransformer` on token ids, and the vectors brought to length 1."""

    def __init__(self, model: Any) -> None:
        super().__init__()
        self._modules_in_order = torch.nn.ModuleList(model)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        """Both int64 (rows, tokens), padded on the right; answers float32 (rows, dimension)."""
        features = {"input_ids": ids, "attention_mask": mask}
        for module in self._modules_in_order:
            features = module(features)
        return torch.nn.functional.normalize(features["sentence_embedding"].float(), dim=1)
