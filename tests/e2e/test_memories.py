"""AddMemory with its siblings: verify, watch, retry, get, list, update, delete."""

from datetime import UTC, datetime, timedelta

import psycopg
import pytest

from rapport import ErrorReason, IndexingStatus, MemoryKind
from tests.e2e.scene import (
    COMPLETED,
    ERRORED,
    NOON,
    NOT_FOUND,
    add,
    found,
    is_stranger,
    minutes,
    refused,
    sentences,
    texts,
    together,
    wait_for,
)
from tests.fix_rapport import TenantHandle


def test_a_memory_is_kept_with_all_its_fields(make_tenant):
    schema = [
        {"name": "topic", "type": "STRING", "enable_match": True},
        {"name": "page", "type": "NUMBER"},
    ]
    client = make_tenant(metadata_schema=schema).client
    item = {
        "source_id": "note-1",
        "text": "Maya's spare key is under the blue pot.",
        "title": "Key",
        "user_name": "Maya",
        "speaker": "Tom",
        "channel": "mail",
        "session_id": "s-9",
        "time_zone": "Europe/Rome",
        "metadata": {"topic": "home", "page": 3.5},
        "additional_metadata": {"deep": {"list": [1, "two", None]}},
        "occurred_at": NOON,
        "pinned": True,
        "expiry_time": 3600,
    }
    assert add(client, "maya", item) == ["note-1"]
    memory = client.get_memory("maya", source_id="note-1").memory
    for field in (
        "source_id",
        "text",
        "title",
        "user_name",
        "speaker",
        "channel",
        "session_id",
        "time_zone",
    ):
        assert getattr(memory, field) == item[field]
    assert (memory.kind, memory.indexing_status) == (MemoryKind.MEMORY_KIND_ADDED, COMPLETED)
    assert dict(memory.metadata) == item["metadata"]
    assert memory.additional_metadata["deep"]["list"][1] == "two"
    assert memory.occurred_at.ToDatetime(UTC) == NOON
    assert memory.pinned
    lifetime = memory.expires_at.ToDatetime() - memory.create_time.ToDatetime()
    assert lifetime == timedelta(hours=1)
    (hit,) = client.recall("maya", query="Where is the spare key?").results
    assert (hit.source_id, hit.title, hit.channel, hit.session_id) == (
        "note-1",
        "Key",
        "mail",
        "s-9",
    )
    assert dict(hit.metadata) == item["metadata"]
    assert hit.expires_at == memory.expires_at


def test_pairs_are_stored_as_one_memory(tenant: TenantHandle):
    pairs = [
        {"user": "I moved to Lyon.", "assistant": "How is Lyon?"},
        {"user": "Rainy.", "assistant": ""},
    ]
    (source_id,) = add(tenant.client, "maya", {"user_assistant_pairs": pairs})
    memory = tenant.client.get_memory("maya", source_id=source_id).memory
    assert memory.text == "User: I moved to Lyon.\nAssistant: How is Lyon?\nUser: Rainy."
    assert texts(tenant.client, "maya", "Which city does she live in now?") == [memory.text]


def test_a_bad_item_fails_alone(tenant: TenantHandle):
    bad = [
        ({"text": ""}, "text"),
        ({"text": "x" * (1024 * 1024 + 1)}, "text"),
        ({"text": "x", "user_assistant_pairs": [{"user": "y"}]}, "text"),
        ({"text": "x", "expiry_time": -1}, "expiry_time"),
        ({"text": "x", "metadata": {"unknown": 1}}, "metadata.unknown"),
        ({"text": "x", "additional_metadata": {"a": ["y"] * 9_000}}, "additional_metadata"),
        ({"text": "x", "source_id": "y" * 257}, "source_id"),
        ({"text": "x", "source_id": "new\nline"}, "source_id"),
        ({"text": "x", "custom_instructions": "be brief"}, "custom_instructions"),
        ({"text": "x", "occurred_at": NOON.replace(year=2999)}, "occurred_at"),
        ({"text": "nul \0"}, "text"),
    ]
    items = [item for entry, _ in bad for item in ({"text": f"good beside {entry}"[:60]}, entry)]
    answer = tenant.client.add_memory("maya", memories=items, wait=60)
    assert (answer.success_count, answer.failed_count) == (len(bad), len(bad))
    for index, result in enumerate(answer.results):
        if index % 2 == 0:
            assert (result.status, result.HasField("error")) == (COMPLETED, False)
            continue
        entry, field = bad[index // 2]
        assert result.status == ERRORED
        assert result.error.reason == ErrorReason.ERROR_REASON_INVALID_ARGUMENT
        assert result.error.field == f"memories[{index}].{field}", entry
    assert len(list(tenant.client.list_memories("maya"))) == len(bad)


def test_what_does_not_exist_yet_fails_the_item_by_name(tenant: TenantHandle):
    items = [{"text": "x", "infer": True}, {"text": "plain"}]
    inferred, plain = tenant.client.add_memory("maya", memories=items, wait=60).results
    assert inferred.error.reason == ErrorReason.ERROR_REASON_UNIMPLEMENTED
    assert inferred.error.field == "memories[0].infer"
    assert inferred.status == ERRORED
    assert plain.status == COMPLETED


def test_a_person_with_only_bad_items_has_not_begun(tenant: TenantHandle):
    tenant.client.add_memory("maya", memories=[{"text": ""}])
    assert is_stranger(tenant.client, "maya")
    assert list(tenant.operator.list_end_users()) == []


@pytest.mark.parametrize("count", [0, 1001])
def test_the_number_of_items_is_bounded(tenant: TenantHandle, count: int):
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "memories"):
        tenant.client.add_memory("maya", memories=["x"] * count)
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "wait"):
        tenant.client.add_memory("maya", memories=["x"], wait=61)


def test_a_thousand_items_in_one_call_are_all_recallable(tenant: TenantHandle):
    facts = sentences(1000)
    ids = add(tenant.client, "maya", *facts)
    assert len(set(ids)) == 1000
    for fact in facts[::50]:
        assert found(tenant.client, "maya", fact)
    listed = [memory.source_id for memory in tenant.client.list_memories("maya", page_size=300)]
    assert sorted(listed) == sorted(ids)
    status = tenant.operator.get_tenant().tenant.vectorstore_status
    memories = next(s for s in status if s.memories)
    assert (memories.memories, memories.chunks, memories.queued) == (1000, 1000, 0)


def test_without_wait_the_answer_is_queued_and_watching_tells_each_change_once(
    tenant: TenantHandle,
):
    facts = sentences(40)
    answer = tenant.client.add_memory("maya", memories=facts)
    assert answer.success_count == 40
    ids = [result.source_id for result in answer.results]
    changes: dict[str, list[int]] = {}
    for change in tenant.client.watch_processing("maya", source_ids=[*ids, "unknown"]):
        changes.setdefault(change.status.source_id, []).append(change.status.indexing_status)
    assert changes.pop("unknown") == [NOT_FOUND]
    assert set(changes) == set(ids)
    for states in changes.values():
        assert states[-1] == COMPLETED
        assert states == sorted(set(states))  # each once, in the order of the life
    statuses = tenant.client.verify_processing("maya", source_ids=["unknown", *ids[::-1]]).statuses
    assert [s.source_id for s in statuses] == ["unknown", *ids[::-1]]
    assert [s.success for s in statuses] == [False] + [True] * 40
    assert statuses[0].indexing_status == NOT_FOUND


def test_an_upsert_replaces_and_without_it_an_id_exists_already(tenant: TenantHandle):
    client = tenant.client
    add(client, "maya", {"source_id": "pet", "text": "Maya has a cat.", "title": "old"})
    add(client, "maya", {"source_id": "pet", "text": "Maya has a parrot."})
    assert texts(client, "maya", "Which pet?") == ["Maya has a parrot."]
    memory = client.get_memory("maya", source_id="pet").memory
    assert (memory.text, memory.title) == ("Maya has a parrot.", "")
    items = [
        {"source_id": "pet", "text": "Maya has a fish."},
        {"source_id": "car", "text": "A van."},
    ]
    pet, car = client.add_memory("maya", memories=items, upsert=False, wait=60).results
    assert pet.error.reason == ErrorReason.ERROR_REASON_ALREADY_EXISTS
    assert (pet.status, car.status) == (ERRORED, COMPLETED)
    assert client.get_memory("maya", source_id="pet").memory.text == "Maya has a parrot."
    assert len(list(client.list_memories("maya"))) == 2


def test_the_same_id_twice_in_a_call_the_later_wins_and_the_earlier_says_so(tenant: TenantHandle):
    items = [
        {"source_id": "a", "text": "first"},
        {"source_id": "b", "text": "other"},
        {"source_id": "a", "text": "second"},
    ]
    for upsert in (True, False):
        client = tenant.client
        end_user_id = f"maya-{upsert}"
        first, other, second = client.add_memory(
            end_user_id, memories=items, upsert=upsert, wait=60
        ).results
        assert first.error.reason == ErrorReason.ERROR_REASON_SUPERSEDED_IN_CALL
        assert (other.status, second.status) == (COMPLETED, COMPLETED)
        assert client.get_memory(end_user_id, source_id="a").memory.text == "second"


def test_concurrent_upserts_of_one_id_end_as_one_memory(tenant: TenantHandle):
    facts = sentences(24)
    together(
        8,
        lambda i: tenant.client.add_memory(
            "maya", memories=[{"source_id": "one", "text": facts[i]}]
        ),
        24,
    )
    assert wait_for(tenant.client, "maya", ["one"]) == []
    (memory,) = tenant.client.list_memories("maya")
    assert memory.text in facts
    assert texts(tenant.client, "maya", "journal", max_results=50) == [memory.text]


def test_long_text_is_split_and_every_part_recallable(tenant: TenantHandle):
    facts = sentences(300, seed=7)
    needles = {
        0: "The submarine captain collects porcelain owls.",
        150: "Photosynthesis in seagrass stops below forty metres.",
        299: "Her grandfather's sourdough recipe needs rye and patience.",
    }
    for place, needle in needles.items():
        facts[place] = f"{needle} {needle}"
    (source_id,) = add(tenant.client, "maya", " ".join(facts))
    for needle in needles.values():
        (hit,) = tenant.client.recall("maya", query=needle, max_results=1).results
        assert needle in hit.text, hit.similarity
    hits = tenant.client.recall("maya", query="journal", max_results=1000).results
    assert sorted(hit.chunk_index for hit in hits) == list(range(len(hits)))
    assert len(hits) > 20
    assert {hit.source_id for hit in hits} == {source_id}
    joined = "".join(hit.text for hit in sorted(hits, key=lambda hit: hit.chunk_index))
    assert "".join(joined.split()) == "".join("".join(facts).split())
    for hit in hits[::4]:
        assert texts(tenant.client, "maya", hit.text, max_results=1) == [hit.text]
    assert tenant.client.get_memory("maya", source_id=source_id).memory.text == " ".join(facts)


def test_update_changes_only_what_the_mask_names(tenant: TenantHandle):
    client = tenant.client
    ids = add(
        client, "maya", {"text": "Maya's bus is line 7.", "title": "bus", "expiry_time": 3600}
    )
    before = client.get_memory("maya", source_id=ids[0]).memory
    changed = client.update_memory("maya", source_id=ids[0], title="tram", pinned=True).memory
    assert (changed.title, changed.pinned, changed.text) == ("tram", True, before.text)
    client.update_memory("maya", source_id=ids[0], text="Maya's tram is line 12.")
    assert wait_for(client, "maya", ids) == []
    after = client.get_memory("maya", source_id=ids[0]).memory
    assert (after.text, after.title, after.pinned) == ("Maya's tram is line 12.", "tram", True)
    assert after.expires_at == before.expires_at
    assert texts(client, "maya", "Which line does she take?") == ["Maya's tram is line 12."]
    cleared = client.update_memory("maya", source_id=ids[0], update_mask=["title"]).memory
    assert cleared.title == ""
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "update_mask.paths[0]"):
        client.update_memory("maya", source_id=ids[0], update_mask=["channel"])
    with refused("NOT_FOUND"):
        client.update_memory("maya", source_id="unknown", title="x")


def test_an_interactions_words_cannot_be_rewritten_but_its_title_can(tenant: TenantHandle):
    said = tenant.client.process("maya", message="I said this.")
    changed = tenant.client.update_memory("maya", source_id=said.source_id, title="quote").memory
    assert changed.title == "quote"
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "text"):
        tenant.client.update_memory("maya", source_id=said.source_id, text="I never said this.")


def test_a_deleted_memory_is_found_nowhere(tenant: TenantHandle):
    client = tenant.client
    kept, gone = add(client, "maya", "The attic is full of clocks.", "The cellar is full of cider.")
    assert texts(client, "maya", "The cellar is full of cider.", max_results=1) == [
        "The cellar is full of cider."
    ]
    assert client.delete_memory("maya", source_id=gone).deleted_count == 1
    assert texts(client, "maya", "The cellar is full of cider.") == ["The attic is full of clocks."]
    assert [memory.source_id for memory in client.list_memories("maya")] == [kept]
    with refused("NOT_FOUND"):
        client.get_memory("maya", source_id=gone)
    with refused("NOT_FOUND"):
        client.delete_memory("maya", source_id=gone)
    assert client.delete_memory("maya", source_id=gone, allow_missing=True).deleted_count == 0
    (status,) = client.verify_processing("maya", source_ids=[gone]).statuses
    assert status.indexing_status == NOT_FOUND
    status = next(s for s in tenant.operator.get_tenant().tenant.vectorstore_status if s.memories)
    assert (status.memories, status.chunks) == (1, 1)


def test_the_id_that_recall_answers_is_the_id_for_every_call(tenant: TenantHandle):
    client = tenant.client
    client.process("maya", message="The lighthouse blinks twice.")
    add(client, "maya", "The harbour freezes in January.")
    for hit in client.recall("maya", query="lighthouse harbour").results:
        assert client.get_memory("maya", source_id=hit.source_id).memory.text == hit.text
        (status,) = client.verify_processing("maya", source_ids=[hit.source_id]).statuses
        assert status.indexing_status == COMPLETED
        client.update_memory("maya", source_id=hit.source_id, title="t")
        assert client.delete_memory("maya", source_id=hit.source_id).deleted_count == 1
    assert list(client.list_memories("maya")) == []


def test_memories_are_listed_by_kind_channel_session_time_and_metadata(tenant: TenantHandle):
    client = tenant.client
    for number in range(4):
        client.process(
            "maya",
            message=f"said {number}",
            channel="app",
            session_id=f"s{number}",
            occurred_at=NOON,
        )
    items = [
        {
            "text": f"noted {n}",
            "channel": "mail",
            "occurred_at": NOON + minutes(n),
            "additional_metadata": {"n": n},
        }
        for n in range(4)
    ]
    add(client, "maya", *items)
    listed = [m.text for m in client.list_memories("maya", page_size=3)]
    assert listed[4:] == [f"User: said {n}" for n in (3, 2, 1, 0)]
    assert set(listed[:4]) == {f"noted {n}" for n in range(4)}
    assert len(list(client.list_memories("maya", kind="INTERACTION"))) == 4
    assert len(list(client.list_memories("maya", channel="mail"))) == 4
    assert [m.text for m in client.list_memories("maya", session_id="s2")] == ["User: said 2"]
    after = client.list_memories("maya", start_time=NOON + minutes(1), end_time=NOON + minutes(3))
    assert {m.text for m in after} == {"noted 1", "noted 2"}
    free = client.list_memories(
        "maya", metadata_filters={"additional_metadata": {"n": {"$gte": 2}}}
    )
    assert {m.text for m in free} == {"noted 2", "noted 3"}


def test_pages_neither_repeat_nor_hide_when_rows_are_written_meanwhile(tenant: TenantHandle):
    client = tenant.client
    facts = sentences(30)
    add(client, "maya", *facts)
    pages = client.list_memories("maya", page_size=7).pages()
    seen = [memory.text for memory in next(pages).memories]
    client.process("maya", message="written meanwhile")
    gone = client.list_memories("maya", page_size=1000)
    last = list(gone)[-1]
    client.delete_memory("maya", source_id=last.source_id)
    seen += [memory.text for page in pages for memory in page.memories]
    assert sorted(seen) == sorted(set(facts) - {last.text})
    token = next(client.list_memories("maya", page_size=7).pages()).next_page_token
    with refused("INVALID_ARGUMENT", "PAGE_TOKEN_INVALID"):
        list(client.list_memories("maya", kind="ADDED", page_token=token))
    with refused("INVALID_ARGUMENT", "PAGE_TOKEN_INVALID"):
        list(client.list_memories("noor", page_token=token))
    with refused("INVALID_ARGUMENT", "PAGE_TOKEN_INVALID"):
        list(client.list_memories("maya", page_token="rubbish"))
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "page_size"):
        list(client.list_memories("maya", page_size=-1))


def test_a_large_list_stops_below_the_reply_limit_and_goes_on(tenant: TenantHandle):
    client = tenant.client
    # Few windows each, so that indexing is quick: spaces cost bytes and no tokens.
    big = [{"source_id": f"big-{n}", "text": f"page {n}" + " " * 700_000 + "end"} for n in range(8)]
    for item in big:
        client.add_memory("maya", memories=[item])
    assert wait_for(client, "maya", [item["source_id"] for item in big]) == []
    pages = list(client.list_memories("maya", page_size=1000).pages())
    assert len(pages) > 1
    assert all(page.ByteSize() <= 3 * 1024 * 1024 for page in pages)
    listed = [memory.source_id for page in pages for memory in page.memories]
    assert sorted(listed) == [item["source_id"] for item in big]


def test_an_expired_memory_is_gone_to_the_second_from_every_read(tenant: TenantHandle):
    client = tenant.client
    fleeting = "The concert is in hall four."
    for lifetime_s in (3, 12, 48):  # a busy machine may need longer to index it
        item = {"source_id": "fleeting", "text": fleeting, "expiry_time": lifetime_s}
        client.add_memory("maya", memories=[item], wait=60)
        if found(client, "maya", fleeting):
            break
    memory = client.get_memory("maya", source_id="fleeting").memory
    source_id, expires = memory.source_id, memory.expires_at.ToDatetime(UTC)
    assert expires - memory.create_time.ToDatetime(UTC) == timedelta(seconds=lifetime_s)
    while True:
        before = datetime.now(UTC)
        seen = bool(texts(client, "maya", fleeting))
        # The server's clock is this machine's: what was seen was seen before the second.
        assert not seen or before < expires
        if datetime.now(UTC) > expires + timedelta(milliseconds=50):
            break
    assert texts(client, "maya", fleeting) == []
    assert list(client.list_memories("maya")) == []
    with refused("NOT_FOUND"):
        client.get_memory("maya", source_id=source_id)
    (status,) = client.verify_processing("maya", source_ids=[source_id]).statuses
    assert status.indexing_status == IndexingStatus.INDEXING_STATUS_NOT_FOUND
    assert not client.process("maya", message=fleeting).memory.relevant_memories


def test_k_live_hits_whenever_k_exist_among_dead_ones(tenant: TenantHandle):
    client = tenant.client
    facts = [f"Maya's locker number is {number}." for number in range(120)]
    ids = add(client, "maya", *facts[:100])
    live = facts[100:]
    add(client, "maya", *live)
    assert not set(texts(client, "maya", "Maya's locker number is 3.", max_results=20)) <= set(live)
    for source_id in ids[::4]:
        client.delete_memory("maya", source_id=source_id)
    with psycopg.connect(tenant.server.superuser_dsn()) as conn:
        conn.execute(
            "UPDATE rapport.memory SET expires_at = now() WHERE tenant_id = %s AND source_id = ANY (%s)",
            (tenant.tenant_id, ids),
        )
    hits = texts(client, "maya", "Maya's locker number is 3.", max_results=20)
    assert sorted(hits) == sorted(live)


def test_retry_leaves_what_is_not_errored_alone(tenant: TenantHandle):
    (source_id,) = add(tenant.client, "maya", "All is well.")
    statuses = tenant.client.retry_processing("maya", source_ids=[source_id, "unknown"]).statuses
    assert [s.indexing_status for s in statuses] == [COMPLETED, NOT_FOUND]
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", "source_ids"):
        tenant.client.retry_processing("maya", source_ids=[])


def test_an_errored_memory_is_listed_with_its_reason_and_indexed_by_a_retry(tenant: TenantHandle):
    # No text makes the encoder fail, so the row is brought to where three failures would have left it.
    client = tenant.client
    (source_id,) = add(client, "maya", "The ferry is late.")
    with psycopg.connect(tenant.server.superuser_dsn()) as conn:
        conn.execute("DELETE FROM rapport.chunk WHERE tenant_id = %s", (tenant.tenant_id,))
        conn.execute(
            "UPDATE rapport.memory SET status = 'ERRORED', attempts = 3, error_reason = 'EMBEDDING_FAILED',"
            " error_message = 'the model failed' WHERE tenant_id = %s",
            (tenant.tenant_id,),
        )
    assert texts(client, "maya", "ferry") == []
    (waiting,) = tenant.operator.list_queue()
    assert (waiting.source_id, waiting.end_user_id, waiting.status) == (source_id, "maya", ERRORED)
    assert (waiting.attempts, waiting.error.reason) == (
        3,
        ErrorReason.ERROR_REASON_EMBEDDING_FAILED,
    )
    (status,) = client.verify_processing("maya", source_ids=[source_id]).statuses
    assert (status.success, status.error.reason) == (
        False,
        ErrorReason.ERROR_REASON_EMBEDDING_FAILED,
    )
    (status,) = client.retry_processing("maya", source_ids=[source_id]).statuses
    assert status.indexing_status != ERRORED
    assert wait_for(client, "maya", [source_id]) == []
    assert texts(client, "maya", "ferry") == ["The ferry is late."]
    assert list(tenant.operator.list_queue()) == []
