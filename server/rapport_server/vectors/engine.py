"""FAISS without its type stubs, which lack much of what is called here."""

from typing import Any

import faiss as _faiss

faiss: Any = _faiss
