"""Where the figures of the rpc room go."""

from typing import Protocol

from rapport_server.domain.ports import StepObserver
from rapport_server.rpc.interceptors.metrics import CallObserver


class RpcObserver(CallObserver, StepObserver, Protocol):
    """Both."""
