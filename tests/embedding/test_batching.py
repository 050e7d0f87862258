"""Concurrent callers share passes, those who wait overtake bulk, and each hears of its own failure alone."""

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from rapport_server.domain.ports import Encoded, Lane
from rapport_server.embedding import BatchingEncoder, Runtime
from rapport_server.embedding.lanes import BULK_TOKENS_MAX, BULK_TOKENS_MIN, PassSize
from rapport_server.embedding.runtime import Row
from rapport_server.errors import EmbeddingFailed, Unavailable
from tests.embedding.conftest import HeldRuntime, Watcher


async def entered(held: HeldRuntime) -> None:
    """Wait until a forward pass stands at the gate."""
    assert await asyncio.to_thread(held.entered.acquire, timeout=30)


def call(
    encoder: BatchingEncoder, texts: Sequence[str], lane: Lane = Lane.INTERACTIVE
) -> "asyncio.Task[list[Encoded]]":
    return asyncio.create_task(encoder.encode(texts, lane))


async def held_in_a_pass(
    held: HeldRuntime, **bounds: int
) -> tuple[BatchingEncoder, "asyncio.Task[list[Encoded]]"]:
    """An encoder whose thread is inside a pass, so that everything after it has to wait."""
    encoder = BatchingEncoder(held, **bounds)  # type: ignore[arg-type]
    first = call(encoder, ["the first"])
    await entered(held)
    return encoder, first


async def test_waiting_callers_share_one_pass_and_get_their_own_vectors(
    held: HeldRuntime, runtime: Runtime
) -> None:
    encoder, first = await held_in_a_pass(held)
    texts = [f"question number {n}" for n in range(20)]
    calls = [call(encoder, [text]) for text in texts]
    await asyncio.sleep(0)
    held.gate.set()
    results = await asyncio.gather(*calls)
    await first
    await encoder.close()
    assert held.passes == [["the first"], texts]
    for text, (encoded,) in zip(texts, results, strict=True):
        (ids,) = runtime.tokenize([text])
        assert float(encoded.vectors[0] @ runtime.forward([Row(text, ids)]).vectors[0]) >= 1 - 1e-5


async def test_a_pass_is_bounded_however_many_wait(held: HeldRuntime) -> None:
    encoder, first = await held_in_a_pass(held)
    calls = [call(encoder, ["how is she?"]) for _ in range(150)]
    await asyncio.sleep(0)
    held.gate.set()
    await asyncio.gather(first, *calls)
    await encoder.close()
    assert [len(texts) for texts in held.passes] == [1, 64, 64, 22]


async def test_a_waiting_caller_overtakes_bulk_after_the_pass_under_way(held: HeldRuntime) -> None:
    encoder = BatchingEncoder(held)
    bulk = call(
        encoder,
        [f"bulk text number {n} of many, none of them urgent" for n in range(150)],
        Lane.BULK,
    )
    await entered(held)
    question = call(encoder, ["what did she say?"])
    await asyncio.sleep(0)
    held.gate.set()
    await question
    assert not bulk.done()
    assert held.passes[1] == ["what did she say?"]
    assert len(await bulk) == 150
    await encoder.close()
    assert len(held.passes) > 5


async def test_a_question_does_not_stand_behind_a_whole_letter(held: HeldRuntime) -> None:
    encoder, first = await held_in_a_pass(held)
    letter = call(encoder, ["Dear doctor, the hip still hurts at night. " * 230])
    question = call(encoder, ["what did she say?"])
    await asyncio.sleep(0)
    held.gate.set()
    await question
    assert not letter.done()
    assert ["what did she say?"] in held.passes[1:3]
    (encoded,) = await letter
    await first
    await encoder.close()
    assert len(encoded.pieces) > 6


async def test_bulk_keeps_the_order_asked_whatever_the_lengths(
    encoder: BatchingEncoder, watcher: Watcher
) -> None:
    texts = [f"{n} " + "word " * (n * 37 % 90) for n in range(60)]
    encoded = await encoder.encode(texts, Lane.BULK)
    assert [one.pieces[0].text for one in encoded] == texts
    assert {lane for lane, *_ in watcher.batches} == {Lane.BULK}
    assert sum(count for _, count, *_ in watcher.batches) == 60
    assert all(tokens <= BULK_TOKENS_MAX and seconds > 0 for *_, tokens, seconds in watcher.batches)


async def test_everything_heavy_runs_on_the_embed_thread(held: HeldRuntime) -> None:
    held.gate.set()
    encoder = BatchingEncoder(held)
    await encoder.encode(["a", "b " * 3000], Lane.BULK)
    await asyncio.gather(*(encoder.encode([str(n)], Lane.INTERACTIVE) for n in range(8)))
    await encoder.close()
    assert held.threads == {"embed"}


async def test_work_of_a_cancelled_caller_is_not_begun(held: HeldRuntime) -> None:
    encoder, first = await held_in_a_pass(held)
    gone = call(encoder, ["nobody waits for this"])
    gone_bulk = call(encoder, ["nor for this"], Lane.BULK)
    stays = call(encoder, ["somebody waits for this"])
    await asyncio.sleep(0)
    for task in (gone, gone_bulk):
        task.cancel()
    await asyncio.wait([gone, gone_bulk])
    assert gone.cancelled()
    held.gate.set()
    await asyncio.gather(first, stays)
    await encoder.encode(["later"], Lane.BULK)
    await encoder.close()
    assert held.passes == [["the first"], ["somebody waits for this"], ["later"]]


async def test_a_caller_cancelled_inside_a_pass_harms_nobody(held: HeldRuntime) -> None:
    encoder, first = await held_in_a_pass(held)
    first.cancel()
    await asyncio.wait([first])
    held.gate.set()
    assert len(await encoder.encode(["next"], Lane.INTERACTIVE)) == 1
    await encoder.close()


async def test_a_broken_pass_fails_exactly_the_callers_in_it(held: HeldRuntime) -> None:
    def break_on_poison(rows: Sequence[Row]) -> None:
        if any("poison" in row.text for row in rows):
            raise RuntimeError("the model broke")

    held.before = break_on_poison
    encoder, first = await held_in_a_pass(held)
    together = [call(encoder, ["poison"]), call(encoder, ["bystander"])]
    bulk = call(encoder, ["a", "b"], Lane.BULK)
    await asyncio.sleep(0)
    held.gate.set()
    for task in together:
        with pytest.raises(EmbeddingFailed) as caught:
            await task
        assert isinstance(caught.value.__cause__, RuntimeError)
        assert "broke" not in caught.value.message
    assert len(await first) == 1
    assert len(await bulk) == 2
    assert len(await encoder.encode(["bystander"], Lane.INTERACTIVE)) == 1
    await encoder.close()


async def test_the_rest_of_a_failed_call_is_dropped_and_the_thread_lives_on(
    held: HeldRuntime,
) -> None:
    def break_on_poison(rows: Sequence[Row]) -> None:
        if any("poison" in row.text for row in rows):
            raise RuntimeError("the model broke")

    held.before = break_on_poison
    held.gate.set()
    encoder = BatchingEncoder(held)
    with pytest.raises(EmbeddingFailed):
        # So different in length that they are two forward calls of one pass.
        await encoder.encode(["poison", "bystander " * 40], Lane.INTERACTIVE)
    assert len(await encoder.encode(["next"], Lane.INTERACTIVE)) == 1
    await encoder.close()
    assert held.passes == [["poison"], ["next"]]


@pytest.mark.parametrize("value", [np.nan, np.inf, 0.0])
async def test_a_vector_that_is_not_finite_or_zero_is_never_handed_out(
    held: HeldRuntime, value: float
) -> None:
    def spoil(vectors: NDArray[np.float32]) -> None:
        vectors[next(n for n, text in enumerate(held.passes[-1]) if text == "spoiled")] = value

    encoder, first = await held_in_a_pass(held)
    spoiled = call(encoder, ["fine", "spoiled"])
    innocent = call(encoder, ["innocent"])
    await asyncio.sleep(0)
    held.after = lambda vectors: spoil(vectors) if "spoiled" in held.passes[-1] else None
    held.gate.set()
    with pytest.raises(EmbeddingFailed) as caught:
        await spoiled
    assert caught.value.metadata["text_indexes"] == "1"
    assert np.isfinite((await innocent)[0].vectors).all()
    await first
    await encoder.close()


async def test_too_many_waiting_callers_are_refused_with_a_hint(
    held: HeldRuntime,
) -> None:
    encoder, first = await held_in_a_pass(held, interactive_texts_max=3)
    second = call(encoder, ["a", "b"])
    await asyncio.sleep(0)
    with pytest.raises(Unavailable) as caught:
        await encoder.encode(["one more"], Lane.INTERACTIVE)
    assert caught.value.retry_s > 0
    held.gate.set()
    await asyncio.gather(first, second)
    assert len(await encoder.encode(["now there is room"] * 5, Lane.INTERACTIVE)) == 5
    await encoder.close()


async def test_bulk_beyond_the_bound_waits_for_room(held: HeldRuntime) -> None:
    encoder, first = await held_in_a_pass(held, bulk_texts_max=4)
    calls = [call(encoder, [f"{n}"] * 3, Lane.BULK) for n in range(3)]
    cancelled = call(encoder, ["c"] * 3, Lane.BULK)
    await asyncio.sleep(0.01)
    assert encoder._depth[Lane.BULK] == 3
    cancelled.cancel()
    held.gate.set()
    assert [len(result) for result in await asyncio.gather(*calls)] == [3, 3, 3]
    await first
    await encoder.close()
    assert all(len(texts) <= 3 for texts in held.passes)


async def test_the_observer_hears_batches_and_depths(
    encoder: BatchingEncoder, watcher: Watcher
) -> None:
    await encoder.encode(["one", "two"], Lane.INTERACTIVE)
    ((lane, texts, tokens, seconds),) = watcher.batches
    assert (lane, texts, tokens) == (Lane.INTERACTIVE, 2, 6)
    assert seconds > 0
    assert watcher.depths == [(Lane.INTERACTIVE, 2), (Lane.INTERACTIVE, 0)]


async def test_closing_fails_what_waits_and_refuses_what_comes(held: HeldRuntime) -> None:
    encoder, first = await held_in_a_pass(held, bulk_texts_max=1)
    waiting = [
        call(encoder, ["w"]),
        call(encoder, ["b"], Lane.BULK),
        call(encoder, ["no room yet"], Lane.BULK),
    ]
    await asyncio.sleep(0)
    closing = asyncio.create_task(encoder.close())
    await asyncio.sleep(0.01)
    held.gate.set()
    await closing
    assert len(await first) == 1
    for task in waiting:
        with pytest.raises(Unavailable):
            await task
    with pytest.raises(Unavailable):
        await encoder.encode(["late"], Lane.INTERACTIVE)
    await encoder.close()
    assert held.passes == [["the first"]]


async def test_closing_before_the_first_call_is_fine(runtime: Runtime) -> None:
    encoder = BatchingEncoder(runtime)
    await encoder.close()
    with pytest.raises(Unavailable):
        encoder.start()


def test_the_bulk_pass_follows_the_speed_of_the_machine() -> None:
    size = PassSize()
    for _ in range(40):
        size.measured(256, 256 * 0.0001)
    assert size.tokens == pytest.approx(350, abs=2)
    for _ in range(20):  # most passes were held up by other work: no reason to make them smaller
        size.measured(256, 256 * 0.001)
    assert size.tokens == pytest.approx(350, abs=2)
    for _ in range(40):
        size.measured(256, 256 * 0.01)
    assert size.tokens == BULK_TOKENS_MIN
    for _ in range(40):
        size.measured(256, 256 * 1e-7)
    assert size.tokens == BULK_TOKENS_MAX
