"""The embedding model: whether it loads and is the one that made the stored vectors."""

from pathlib import Path

from rapport_server.doctor.report import Report
from rapport_server.domain.storage import Installation
from rapport_server.embedding import load_encoder
from rapport_server.startup import StartupError


def check_model(
    name: str | None, cache: Path, installed: Installation | None, report: Report
) -> None:
    """Load it as a server would; seconds when the cache does not have it."""
    try:
        model = load_encoder(name, cache, keep=False)
    except StartupError as error:
        report.fail("model", str(error), "correct --embedding-model (RAPPORT_EMBEDDING_MODEL)")
        return
    found = (
        f"{model.model_name}, {model.dimension} dimensions, fingerprint {model.fingerprint[:16]}…"
    )
    if installed is None or installed.model_fingerprint is None:
        report.ok("model", f"{found}; no vectors are stored yet")
    elif installed.model_fingerprint == model.fingerprint:
        report.ok("model", f"{found}, the database's")
    else:
        report.fail(
            "model",
            f"{found}; the stored vectors are by {installed.model_name} ({installed.model_fingerprint[:16]}…)",
            f"start with that model: --embedding-model {installed.model_name}",
        )
