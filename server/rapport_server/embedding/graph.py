"""The model as one OpenVINO graph, from token ids to unit vectors: on CPUs two to three times as fast as torch."""

import os
from collections.abc import Sequence

import numpy as np
import openvino
import psutil

from rapport_server.embedding.runtime import Row, States, padded, without_inner

# Passes of a few hundred tokens do not divide over more cores than this.
THREADS_MAX = 8


class SentenceGraph:
    """A graph from ids and mask, int64 (rows, tokens) padded on the right, to unit vectors and, as a second
    output, inner states; compiled. May raise anything."""

    def __init__(self, graph: openvino.Model, pad_id: int) -> None:
        settings = {
            "PERFORMANCE_HINT": "LATENCY",
            # Some CPUs would otherwise compute in bfloat16, whose vectors are others.
            "INFERENCE_PRECISION_HINT": "f32",
            # A thread bound to a core waits for it when the event loop or the database is there.
            "ENABLE_CPU_PINNING": False,
            "INFERENCE_NUM_THREADS": threads(),
        }
        self.graph = graph
        self.pad_id = pad_id
        self._request = openvino.compile_model(graph, "CPU", settings).create_infer_request()

    def __call__(self, rows: Sequence[Row]) -> States:
        """One forward pass."""
        self._request.infer(list(padded(rows, self.pad_id)), share_inputs=True)
        outputs = [np.array(one.data, dtype=np.float32) for one in self._request.output_tensors]
        return States(*outputs) if len(outputs) == 2 else without_inner(outputs[0])


def threads() -> int:
    """How many a forward pass may use: one for each core that is ours, unless OMP_NUM_THREADS says another number."""
    given = os.environ.get("OMP_NUM_THREADS", "")
    ours = len(psutil.Process().cpu_affinity()) if hasattr(psutil.Process, "cpu_affinity") else 1
    cores = min(ours, psutil.cpu_count(logical=False) or ours)
    return min(int(given) if given.isdecimal() and int(given) else cores, THREADS_MAX)
