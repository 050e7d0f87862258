"""The command line: `rapport serve`, `demo`, `doctor`, `train-signals`."""

import asyncio
import gc
import os
import sys
from collections.abc import Callable
from typing import Any

import click
from rich.console import Console
from rich.panel import Panel

from rapport_server.config import SETTINGS, Config
from rapport_server.demo.command import demo
from rapport_server.doctor.command import doctor
from rapport_server.errors import RapportError
from rapport_server.load_thread import leave
from rapport_server.startup import StartupError
from rapport_server.training.command import train_signals


def settings(command: Callable[..., Any]) -> Callable[..., Any]:
    """One flag per setting; each is also a RAPPORT_ variable."""
    for setting in reversed(SETTINGS):
        if setting.name == "insecure":
            option = click.option(
                setting.flag,
                is_flag=True,
                default=None,
                help=f"{setting.help} ({setting.variable})",
            )
        else:
            option = click.option(
                setting.flag, metavar=setting.metavar, help=f"{setting.help} ({setting.variable})"
            )
        command = option(command)
    return command


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="rapport-memory", prog_name="rapport")
def cli() -> None:
    """Relational memory for AI agents, over gRPC."""


@cli.command()
@settings
def serve(**flags: Any) -> None:
    """Start the server; without --database-url on a Postgres of its own."""
    from rapport_server import app
    from rapport_server.obs import logs

    config = _config(flags)
    logs.configure(config.log_format, config.log_level)
    console = Console(stderr=True, highlight=False)
    if config.insecure:
        console.print(
            Panel(
                "[bold]--insecure[/]: no credentials are asked for. Whoever reaches this port can read and erase everybody.\n"
                "Calls must name their tenant_id. Never use this with real people's data.",
                title="OPEN SERVER",
                border_style="bold red",
            )
        )

    def show_keys(keys: Any) -> None:
        # Plain lines: scripts read them, and no frame breaks a key when it is copied.
        click.echo("First start. These keys are shown once and stored only as hashes:")
        click.echo(f"  operator key (everything, in any tenant it names):  {keys.operator}")
        click.echo(f"  writer key of the tenant `default`:                 {keys.writer}")

    def ready(server: Any) -> None:
        click.echo(
            f"Rapport serves gRPC on {server.address}, metrics on http://{server.metrics_address}/metrics"
        )
        sys.stdout.flush()
        gc.freeze()  # what the start made lives as long as the process; collections need not look at it

    try:
        code = asyncio.run(app.serve(config, show_keys, ready))
    except (StartupError, RapportError) as error:
        raise click.ClickException(str(error)) from error
    except OSError as error:
        # A full disk, a read-only file system, a file that another account owns.
        where = f": {error.filename}" if error.filename else ""
        raise click.ClickException(
            f"{error.strerror or error}{where} (data directory {config.data_dir})"
        ) from error
    sys.exit(code)


cli.add_command(demo)
cli.command()(settings(doctor))
cli.add_command(train_signals)


def _config(flags: dict[str, Any]) -> Config:
    try:
        return Config.load(flags, os.environ)
    except StartupError as error:
        raise click.ClickException(str(error)) from error


def main() -> None:
    """Run the command line."""
    try:
        cli(prog_name="rapport")
    except SystemExit as end:
        # By now the message stands on the console and the start is undone; only a model may still be loading.
        leave(end.code if isinstance(end.code, int) else int(end.code is not None))
        raise
