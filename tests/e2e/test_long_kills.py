"""kill −9 of the server and of its Postgres under load: nothing acknowledged is lost."""

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import psutil
import pytest

from rapport import CallCancelledError, Client, DeadlineExceededError, UnavailableError
from tests.e2e.scene import sentences, texts, wait_for
from tests.fix_rapport import RapportProcess

pytestmark = pytest.mark.long
WRITERS = 12


class Ledger:
    """What was acknowledged: source_id → text."""

    def __init__(self) -> None:
        self.acknowledged: dict[str, str] = {}
        self._lock = threading.Lock()

    def write(self, client: Client, items: list[dict[str, str]]) -> None:
        """Add, and note what the answer says was taken."""
        answer = client.add_memory("maya", memories=items, timeout=60)
        with self._lock:
            for item, result in zip(items, answer.results, strict=True):
                assert not result.HasField("error")
                self.acknowledged[result.source_id] = item["text"]

    def check(self, client: Client) -> None:
        """Every acknowledged memory ends COMPLETED and is recalled by its own text."""
        assert wait_for(client, "maya", list(self.acknowledged)) == []
        listed = {m.source_id: m.text for m in client.list_memories("maya", page_size=1000)}
        assert self.acknowledged.items() <= listed.items()
        with ThreadPoolExecutor(4) as pool:
            wanted = list(self.acknowledged.values())
            got = list(pool.map(lambda text: texts(client, "maya", text, max_results=1), wanted))
        assert got == [[text] for text in wanted]


def batches(facts: list[str]) -> list[list[dict[str, str]]]:
    rng = random.Random(3)
    result, start = [], 0
    while start < len(facts):
        size = rng.choice((1, 1, 2, 5, 20))
        result.append(
            [
                {"source_id": f"m{start + n}", "text": text}
                for n, text in enumerate(facts[start : start + size])
            ]
        )
        start += size
    return result


def write_until_killed(
    server: RapportProcess,
    ledger: Ledger,
    queue: list[list[dict[str, str]]],
    kill: Callable[[], None],
    after: int,
) -> None:
    """Writers work through the queue; when `after` more memories are acknowledged, the server is killed in the middle."""
    target = len(ledger.acknowledged) + after
    killed = threading.Event()

    def work() -> None:
        with server.client(server.writer_key, max_attempts=1) as client:
            while queue and not killed.is_set():
                try:
                    items = queue.pop()
                except IndexError:
                    return
                try:
                    ledger.write(client, items)
                except (UnavailableError, CallCancelledError):
                    # Not acknowledged: written again, whether it was taken or not.
                    queue.append(items)
                    return

    threads = [threading.Thread(target=work) for _ in range(WRITERS)]
    for thread in threads:
        thread.start()
    while len(ledger.acknowledged) < target and any(thread.is_alive() for thread in threads):
        time.sleep(0.002)
    kill()
    killed.set()
    for thread in threads:
        thread.join()


def test_kill_9_of_the_server_in_the_middle_of_2000_adds(make_rapport):
    server: RapportProcess = make_rapport("--snapshot-seconds", "1")
    ledger, queue = Ledger(), batches(sentences(2000))
    for after in (150, 300, 700, 400):
        write_until_killed(server, ledger, queue, server.kill, after)
        server.start()
    write_until_killed(server, ledger, queue, lambda: None, 2000)
    assert not queue
    assert len(ledger.acknowledged) == 2000
    with server.writer() as client:
        ledger.check(client)
    # And the same once more, from what the last life left on disk.
    server.kill()
    server.start()
    with server.writer() as client, server.operator() as operator:
        ledger.check(client)
        assert operator.verify_audit_log().ok
        assert list(operator.list_queue()) == []
    assert server.stop() == 0


def test_kill_9_of_postgres_under_load_is_survived(make_rapport):
    server: RapportProcess = make_rapport()
    ledger, queue = Ledger(), batches(sentences(900, seed=5))
    killed = []

    def kill() -> None:
        pid = server.postgres_pid()
        killed.append(pid)
        os.kill(pid, signal.SIGKILL)

    with server.client(server.writer_key) as client:
        for after in (150, 200):
            write_until_killed(server, ledger, queue, kill, after)
            deadline = time.monotonic() + 120
            while time.monotonic() < deadline:
                try:
                    client.process("noor", message="Are you there again?")
                    break
                except (UnavailableError, DeadlineExceededError):
                    time.sleep(0.2)
        write_until_killed(server, ledger, queue, lambda: None, 900)
        assert len(ledger.acknowledged) == 900
        ledger.check(client)
        assert len(set(killed)) == 2
        assert server.process
        assert server.process.poll() is None
        assert not any(psutil.pid_exists(pid) for pid in killed)
        with server.operator() as operator:
            assert operator.verify_audit_log().ok
    assert server.stop() == 0
