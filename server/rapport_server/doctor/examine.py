"""The order in which the doctor looks."""

import psycopg

from rapport_server.config import Config
from rapport_server.doctor import database, files, machine, model, server, shards
from rapport_server.doctor.files import Place
from rapport_server.doctor.language_model import check_language_model
from rapport_server.doctor.report import Report
from rapport_server.domain.storage import Installation
from rapport_server.startup import StartupError
from rapport_server.store import inspection, role
from rapport_server.store.conninfo import Conninfo


async def examine(config: Config, report: Report) -> None:
    """Look at everything, the cheap and the fundamental first."""
    machine.check_programs(report)
    place = files.check_data_dir(config, report)
    machine.check_disk(config.data_dir, report)
    startable = bool(config.database_url) or files.check_postgres(config, place, report)
    serving = _check_addresses(config, place, report)
    installed = await check_database(config, place, report) if startable else None
    files.check_secrets(
        config.secrets_dir, installed.secrets_fingerprint if installed else None, report
    )
    if serving and place.server_pid is not None:
        report.ok("model", "loaded by the running server")
    else:
        model.check_model(config.embedding_model, config.model_cache_dir, installed, report)
    await check_language_model(config, report)


def _check_addresses(config: Config, place: Place, report: Report) -> bool:
    """Of a running server: health and metrics; else whether the ports are free. True when a server serves."""
    if place.server_pid is None:
        machine.check_port("grpc", "--listen", config.listen, server.is_rapport, report)
        metrics = config.metrics_listen
        machine.check_port(
            "metrics", "--metrics-listen", metrics, server.is_rapport_metrics, report
        )
        return False
    serving = server.check_health(config.listen, report)
    server.check_metrics(config.metrics_listen, report)
    return serving


async def check_database(config: Config, place: Place, report: Report) -> Installation | None:
    """Reach the database and look at all that is in it and made from it; what it was set up with, if that can be read."""
    try:
        async with database.reached(config, place) as conninfo:
            return await _check_contents(config, place, conninfo, report)
    except (StartupError, psycopg.Error) as error:
        report.fail("database", str(error).strip(), _advice(config))
        return None


async def _check_contents(
    config: Config, place: Place, conninfo: Conninfo, report: Report
) -> Installation | None:
    if not await database.check_schema(conninfo, report):
        return None
    async with await role.connect(inspection.read_only(conninfo.app)) as conn:
        await database.check_role(conn, report)
        installed = await database.installation(conn)
        await database.check_queue(conn, report)
        shards_dir = config.data_dir / "shards"
        id_file = shards_dir / "process_id"
        own_id = id_file.read_text().strip() if id_file.is_file() else None
        own = database.Own(own_id, runs=place.server_pid is not None)
        await database.check_processes(conn, own, report)
        if installed.model_fingerprint is not None and installed.dimension is not None:
            stored = shards.Model(installed.model_fingerprint, installed.dimension)
            await shards.check_shards(shards_dir, stored, conn, report)
        await database.check_audit(conn, report)
    return installed


def _advice(config: Config) -> str:
    if config.database_url:
        return "is that server up, and is --database-url (RAPPORT_DATABASE_URL) right?"
    return f"the end of {config.data_dir / 'postgres.log'} may say more"
