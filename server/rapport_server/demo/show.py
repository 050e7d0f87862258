"""Plays the conversation on the screen, erases the person at the end, and says what to do when something is wrong."""

import time
from importlib.util import find_spec

import click
from rich.text import Text

import rapport
from rapport_server.demo.conversation import Conversation, Turn
from rapport_server.demo.player import Player, Step
from rapport_server.demo.screen import Screen, make_console

# Seconds that a turn stays before the next, at speed 1: for looking, and for each character read. The whole
# takes a minute.
_LOOK_S = 0.4
_READ_S = 0.0037
# The turn that holds the agent to its broken promise: what the agent is given then quotes it.
TELLING = "word"


def show(
    target: str, api_key: str, tenant_id: str, end_user_id: str, *, keep: bool, pace: float
) -> None:
    """Play it; `pace` stretches the pauses between turns, 0 for none. Raises ClickException with one line of advice."""
    console = make_console()
    conversation = Conversation.load()
    screen = Screen(console, conversation)
    pace = pace if console.is_terminal else 0.0
    try:
        with rapport.Client(target, api_key, tenant_id=tenant_id) as client:
            player = Player(client, conversation, end_user_id)
            _play(client, player, conversation, screen, target, keep, pace)
    except rapport.RapportError as error:
        raise click.ClickException(_advice(error, target, api_key, tenant_id)) from error
    except ValueError as error:
        raise click.ClickException(f"--target or --api-key (RAPPORT_API_KEY): {error}") from error


def _play(
    client: rapport.Client,
    player: Player,
    conversation: Conversation,
    screen: Screen,
    target: str,
    keep: bool,
    pace: float,
) -> None:
    state = player.meet()
    if state is None:
        # Nobody real is to be talked to in Maya's words, and erased.
        raise click.ClickException(
            f"{player.end_user_id} is known already: the demo needs a person of its own, choose another --end-user-id"
        )
    screen.title(target, player.end_user_id)
    begins = {chapter.turns[0].key: chapter for chapter in conversation.chapters}
    steps: list[Step] = []
    try:
        for step in player.play(state):
            if (chapter := begins.get(step.turn.key)) is not None:
                screen.chapter(chapter)
            screen.step(step)
            steps.append(step)
            time.sleep(pace * seconds(step.turn))
        shown = next(step for step in steps if step.turn.key == TELLING)
        screen.summary(steps, player.history(), shown)
    except BaseException:
        if not keep:
            _clean_up(client, player.end_user_id)
        raise
    if keep:
        screen.kept(player.end_user_id)
        return
    receipt = client.erase(player.end_user_id, reason="OTHER", ticket="demo").receipt
    screen.receipt(receipt, _signature(client, receipt))


def _clean_up(client: rapport.Client, end_user_id: str) -> None:
    """Half a person is not left behind either."""
    try:
        client.erase(end_user_id, reason="OTHER", ticket="demo")
    except rapport.RapportError as error:
        click.echo(f"{end_user_id} could not be erased and may be stored: {error}", err=True)


def seconds(turn: Turn) -> float:
    """How long a turn stays on the screen at speed 1."""
    return _LOOK_S + _READ_S * (len(turn.says) + len(turn.reply))


def _signature(client: rapport.Client, receipt: rapport.ErasureReceipt) -> Text:
    """Check the receipt as anybody can who has the public key."""
    if find_spec("cryptography") is None:
        return Text("not checked: `pip install cryptography`", "yellow")
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        keys = {key.key_id: key.public_key for key in client.get_signing_keys().signing_keys}
    except rapport.PermissionDeniedError:
        return Text(
            "made, and not checked here: only AUDITOR and OPERATOR keys may read the signing keys. To see it checked: "
            "`RAPPORT_API_KEY=<operator key> rapport demo --tenant-id default`",
            "yellow",
        )
    if receipt.key_id not in keys:
        return Text(f"made by key {receipt.key_id}, which the server does not list", "red")
    try:
        Ed25519PublicKey.from_public_bytes(keys[receipt.key_id]).verify(
            receipt.signature, rapport.receipt_payload(receipt)
        )
    except InvalidSignature:
        return Text(f"does NOT belong to this receipt (key {receipt.key_id})", "bold red")
    return Text(
        f"Ed25519 by key {receipt.key_id}, checked here: it belongs to this receipt", "green"
    )


def _advice(error: rapport.RapportError, target: str, api_key: str, tenant: str) -> str:
    """One line: what is wrong, and the command that helps."""
    match error:
        case rapport.UnavailableError() if error.hint:
            return f"{target}: {error.hint}"
        case rapport.UnavailableError() | rapport.DeadlineExceededError():
            return f"no Rapport server answers at {target} ({error.message}): start one with `rapport serve`, or name it with --target"
        case rapport.UnauthenticatedError() if not api_key:
            return "the server asks for an API key: export RAPPORT_API_KEY=… with the writer key that the first `rapport serve` showed"
        case rapport.UnauthenticatedError():
            return "the server does not know this API key, or it has expired: set RAPPORT_API_KEY to a valid writer key"
        case rapport.PermissionDeniedError():
            return "this API key may not do that: the demo needs a writer key of the tenant, or the operator key"
        case rapport.InvalidArgumentError() if any(
            violation.field == "tenant_id" for violation in error.violations
        ):
            return "this API key belongs to no single tenant: name one, `rapport demo --tenant-id default`"
        case rapport.NotFoundError():
            return f"there is no tenant {tenant!r}: name one that exists with --tenant-id"
    where = f" (request {error.request_id} in the server's log)" if error.request_id else ""
    return f"{error}{where}"
