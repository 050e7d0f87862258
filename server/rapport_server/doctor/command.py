"""The command `rapport doctor`; what it does is imported when it runs, so that other commands start fast."""

import asyncio
import os
import sys
from typing import Any

import click


def doctor(**flags: Any) -> None:
    """Check database, shards, model, keys and disk, and say what to do; changes nothing."""
    from rich.console import Console

    from rapport_server.config import Config
    from rapport_server.doctor.examine import examine
    from rapport_server.doctor.report import Report
    from rapport_server.obs import logs
    from rapport_server.startup import StartupError

    try:
        config = Config.load(flags, os.environ)
    except StartupError as error:
        raise click.ClickException(str(error)) from error
    # The findings say what matters; warnings of the parts would say it twice.
    logs.configure("console", "error")
    report = Report(Console(highlight=False))
    asyncio.run(examine(config, report))
    sys.exit(report.end())
