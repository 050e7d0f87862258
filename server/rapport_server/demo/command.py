"""The command `rapport demo`: its flags. What it does is imported when it runs, so that other commands start fast."""

import secrets

import click

DEFAULT_TARGET = "127.0.0.1:50051"


@click.command()
@click.option(
    "--target",
    metavar="HOST:PORT",
    default=DEFAULT_TARGET,
    envvar="RAPPORT_TARGET",
    help=f"The server (RAPPORT_TARGET) [{DEFAULT_TARGET}]",
)
@click.option("--api-key", metavar="KEY", envvar="RAPPORT_API_KEY", help="(RAPPORT_API_KEY)")
@click.option(
    "--tenant-id", metavar="ID", default="", help="For an operator key [the key's own tenant]"
)
@click.option("--end-user-id", metavar="ID", help="A new person's id [demo-maya-…]")
@click.option("--keep", is_flag=True, help="Do not erase the person at the end")
@click.option("--speed", type=click.FloatRange(0.1, 100), default=1.0, help="Faster or slower [1]")
@click.option("--no-pause", is_flag=True, help="Do not wait between the turns")
def demo(
    target: str,
    api_key: str | None,
    tenant_id: str,
    end_user_id: str | None,
    keep: bool,
    speed: float,
    no_pause: bool,
) -> None:
    """Play six weeks of a conversation: what is recalled, how trust moves, how it is forgotten."""
    from rapport_server.demo.show import show

    show(
        target,
        api_key or "",
        # A server without credentials wants the tenant named; one with them answers that a key is missing.
        tenant_id or ("" if api_key else "default"),
        end_user_id or f"demo-maya-{secrets.token_hex(4)}",
        keep=keep,
        pace=0.0 if no_pause else 1 / speed,
    )
