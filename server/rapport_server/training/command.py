"""The command `rapport train-signals`; what it does is imported when it runs, so that other commands start fast."""

import os
from pathlib import Path

import click


@click.command("train-signals")
@click.argument("path", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    help="keep the texts' vectors in this directory for the next run",
)
@click.option(
    "--ablations", is_flag=True, help="also train without each part of the surface; takes long"
)
@click.option(
    "--output",
    type=click.Path(file_okay=False, path_type=Path),
    help="where heads.npz and MODEL_CARD.md go; by default into the package",
)
def train_signals(path: Path, cache: Path | None, ablations: bool, output: Path | None) -> None:
    """Train the heads of the local analysis on the data in PATH, and write them with their model card."""
    # Before numpy and torch are imported: the order of a sum depends on how many threads share it.
    for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ[name] = "1"
    from rich.console import Console

    from rapport_server.analysis.loading import HEADS
    from rapport_server.startup import StartupError
    from rapport_server.training.card import card, table
    from rapport_server.training.training import train

    console = Console(highlight=False)
    try:
        outcome = train(path, cache, ablate=ablations, tell=console.print)
    except StartupError as error:
        raise click.ClickException(str(error)) from error
    directory = output or HEADS.parent
    directory.mkdir(parents=True, exist_ok=True)
    content = outcome.heads.packed()
    (directory / HEADS.name).write_bytes(content)
    card_file = directory / "MODEL_CARD.md"
    before = card_file.read_text("utf-8") if card_file.is_file() else ""
    card_file.write_text(card(outcome, len(content), before), "utf-8")
    console.print(table(outcome))
    console.print(f"{directory / HEADS.name}: {len(content):,} bytes")
