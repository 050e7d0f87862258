"""Recall: what it finds, by meaning and under filters, and what it refuses."""

import math

import pytest

from rapport import MatchStrength
from tests.e2e.scene import NOON, add, minutes, refused, sentences, texts
from tests.fix_rapport import TenantHandle

SCHEMA = [
    {"name": "topic", "type": "STRING", "enable_match": True},
    {"name": "page", "type": "NUMBER", "enable_match": True},
    {"name": "urgent", "type": "BOOL", "enable_match": True},
    {"name": "visit", "type": "TIMESTAMP", "enable_match": True},
    {"name": "secret", "type": "STRING"},
]


def test_recall_ranks_by_meaning_with_finite_scores(tenant: TenantHandle):
    add(
        tenant.client,
        "maya",
        "Maya's dog is called Biscuit.",
        "She is learning to play the cello.",
        "Her flight to Oslo leaves on Friday.",
        "The kitchen tap drips at night.",
    )
    for query, answer in (
        ("Which musical instrument does she practise?", "cello"),
        ("What is the name of her pet?", "Biscuit"),
        ("When does she travel to Norway?", "Oslo"),
        ("Is there anything to repair at home?", "tap"),
    ):
        answered = tenant.client.recall("maya", query=query)
        hits = answered.results
        assert answer in hits[0].text
        assert len(hits) == 4
        scores = [hit.score for hit in hits]
        assert scores == sorted(scores, reverse=True)
        for hit in hits:
            assert math.isfinite(hit.score)
            assert -1 <= hit.similarity <= 1
            assert hit.match_strength != MatchStrength.MATCH_STRENGTH_UNSPECIFIED
            assert hit.match_reasons
            assert hit.end_user_id == "maya"
        assert answered.timing.total_ms > 0


def test_an_empty_store_and_an_unknown_person_answer_nothing(tenant: TenantHandle):
    assert texts(tenant.client, "nobody", "anything") == []
    source_id = tenant.client.process("maya", message="hello").source_id
    tenant.client.delete_memory("maya", source_id=source_id)
    assert texts(tenant.client, "maya", "hello") == []


def test_max_results_and_min_similarity_bound_the_answer(tenant: TenantHandle):
    facts = sentences(30)
    add(tenant.client, "maya", *facts)
    assert len(texts(tenant.client, "maya", facts[0])) == 10
    assert len(texts(tenant.client, "maya", facts[0], max_results=25)) == 25
    assert len(texts(tenant.client, "maya", facts[0], max_results=1000)) == 30
    assert texts(tenant.client, "maya", facts[0], min_similarity=0.98) == [facts[0]]
    assert texts(tenant.client, "maya", "unrelated", min_similarity=1) == []
    assert len(texts(tenant.client, "maya", facts[0], alpha=1)) == 10


@pytest.mark.parametrize(
    ("fields", "at"),
    [
        ({"query": ""}, "query"),
        ({"query": " \n "}, "query"),
        ({"query": "x" * 8193}, "query"),
        ({"query": "x", "max_results": 1001}, "max_results"),
        ({"query": "x", "max_results": -1}, "max_results"),
        ({"query": "x", "min_similarity": 1.01}, "min_similarity"),
        ({"query": "x", "min_similarity": math.nan}, "min_similarity"),
        ({"query": "x", "alpha": math.inf}, "alpha"),
        ({"query": "x", "recency_bias": 2.0}, "recency_bias"),
        ({"query": "x", "neighbors": 6}, "neighbors"),
    ],
)
def test_what_is_out_of_range_is_refused_by_name(tenant: TenantHandle, fields, at):
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", at):
        tenant.client.recall("maya", **fields)


@pytest.mark.parametrize(
    "fields",
    [
        {"alpha": 0.5},
        {"mode": "THINKING"},
        {"recency_bias": 0.5},
        {"neighbors": 1},
        {"graph_context": True},
        {"additional_context": "about pets"},
        {"as_of": NOON},
        {"store": "KNOWLEDGE"},
    ],
)
def test_what_does_not_exist_yet_is_refused_not_ignored(tenant: TenantHandle, fields):
    end_user_id = "" if "store" in fields else "maya"
    with refused("UNIMPLEMENTED") as error:
        tenant.client.recall(end_user_id, query="x", **fields)
    assert error.metadata["field"] in fields


def test_the_same_content_twice_is_shown_once_with_its_twins(tenant: TenantHandle):
    same = "Maya's birthday is the ninth of May."
    ids = add(
        tenant.client,
        "maya",
        *({"text": same, "occurred_at": NOON + minutes(number)} for number in range(5)),
        "Maya was born in the spring.",
    )
    hits = tenant.client.recall("maya", query="When is Maya's birthday?", max_results=2).results
    assert [hit.text for hit in hits] == [same, "Maya was born in the spring."]
    assert hits[0].source_id == ids[4]
    assert sorted(hits[0].duplicate_source_ids) == sorted(ids[:4])
    add(tenant.client, "noor", same)
    (hit,) = tenant.client.recall("noor", query=same).results
    assert not hit.duplicate_source_ids


@pytest.fixture
def library(make_tenant) -> TenantHandle:
    """A tenant whose person has six memories that differ in every field one can filter by."""
    tenant = make_tenant(metadata_schema=SCHEMA)
    client = tenant.client
    for number in range(6):
        fields: dict[str, object] = {
            "topic": ("*", "home", "health")[number % 3],
            "page": number + 0.5,
        }
        if number % 2:
            fields |= {"urgent": number > 3, "visit": f"2026-03-0{number + 1}T12:00:00Z"}
        item = {
            "source_id": f"m{number}",
            "text": f"Entry {number}",
            "metadata": fields,
            "additional_metadata": {
                "mood": ("good", "bad")[number % 2],
                "n": number,
                "deep": {"x": 1},
            },
            "channel": ("mail", "")[number % 2],
            "session_id": f"s{number}",
            "occurred_at": NOON + minutes(number),
        }
        add(client, "maya", item)
    client.process(
        "maya",
        message="Entry said",
        channel="app",
        signals={"intent": "FEEDBACK", "detected_emotions": [{"label": "joy", "score": 0.5}]},
        occurred_at=NOON,
    )
    return tenant


def test_filters_are_applied_before_the_search(library: TenantHandle):
    everyone = {"0", "1", "2", "3", "4", "5", "said"}
    cases: list[tuple[dict[str, object], set[str]]] = [
        ({"topic": "home"}, {"1", "4"}),
        ({"topic": ["home", "health"]}, {"1", "2", "4", "5"}),
        ({"topic": "*"}, {"0", "3"}),
        ({"topic": "hom%"}, set()),
        ({"topic": {"$ne": "home"}}, everyone - {"1", "4"}),
        ({"page": {"$gt": 2.5, "$lte": 4.5}}, {"3", "4"}),
        ({"page": {"$nin": [0.5, 1.5]}}, everyone - {"0", "1"}),
        ({"urgent": True}, {"5"}),
        ({"urgent": {"$exists": False}}, {"0", "2", "4", "said"}),
        ({"visit": {"$gte": "2026-03-04T13:00:00+01:00"}}, {"3", "5"}),
        ({"channel": "mail", "page": {"$lt": 3}}, {"0", "2"}),
        ({"channel": {"$exists": False}}, {"1", "3", "5"}),
        ({"session_id": ["s1", "s2", "nowhere"]}, {"1", "2"}),
        ({"kind": "INTERACTION"}, {"said"}),
        ({"kind": "MEMORY_KIND_ADDED"}, everyone - {"said"}),
        ({"intent": "FEEDBACK"}, {"said"}),
        ({"detected_emotions": "joy"}, {"said"}),
        ({"occurred_at": {"$gte": "2026-03-01T12:04:00Z"}}, {"4", "5"}),
        ({"additional_metadata": {"mood": "bad", "n": {"$lt": 4}}}, {"1", "3"}),
        ({"document_metadata": {"mood": "good"}}, {"0", "2", "4"}),
        ({"additional_metadata": {"n": "3"}}, set()),
        ({"additional_metadata": {"mood": "*"}}, set()),
        ({"topic": "home", "session_id": "s5"}, set()),
    ]
    for filters, expected in cases:
        hits = texts(library.client, "maya", "Entry", metadata_filters=filters)
        assert {hit.split()[-1] for hit in hits} == expected, filters
        listed = list(library.client.list_memories("maya", metadata_filters=filters))
        assert {memory.text.split()[-1] for memory in listed} == expected, filters
        # A floor of one result must not starve a filter that matches something far away.
        assert bool(
            texts(library.client, "maya", "zebra", max_results=1, metadata_filters=filters)
        ) == bool(expected)


@pytest.mark.parametrize(
    ("filters", "at"),
    [
        ({"unknown": 1}, "metadata_filters.unknown"),
        ({"secret": "x"}, "metadata_filters.secret"),
        ({"*": "x"}, "metadata_filters.*"),
        ({"topic": {"$regex": ".*"}}, "metadata_filters.topic.$regex"),
        ({"topic": {"$eq": "x"}}, "metadata_filters.topic.$eq"),
        ({"topic": 3}, "metadata_filters.topic"),
        ({"page": "3"}, "metadata_filters.page"),
        ({"topic": []}, "metadata_filters.topic"),
        ({"topic": {}}, "metadata_filters.topic"),
        ({"topic": None}, "metadata_filters.topic"),
        ({"topic": {"$in": []}}, "metadata_filters.topic.$in"),
        ({"kind": "NOVEL"}, "metadata_filters.kind"),
        ({"occurred_at": {"$gt": "yesterday"}}, "metadata_filters.occurred_at.$gt"),
        ({"additional_metadata": {}}, "metadata_filters.additional_metadata"),
        ({"additional_metadata": {"$or": [1]}}, "metadata_filters.additional_metadata.$or"),
        ({"$or": [{"topic": "x"}]}, "metadata_filters.$or"),
    ],
)
def test_a_filter_that_is_not_understood_is_an_error_that_names_its_path(make_tenant, filters, at):
    client = make_tenant(metadata_schema=SCHEMA).client
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", at):
        client.recall("maya", query="x", metadata_filters=filters)
    with refused("INVALID_ARGUMENT", "INVALID_ARGUMENT", at):
        list(client.list_memories("maya", metadata_filters=filters))


def test_a_filter_finds_its_few_among_very_many(tenant: TenantHandle):
    facts = sentences(400)
    rare = "The archive is behind the bakery."
    add(tenant.client, "maya", *facts[:200], {"text": rare, "channel": "letter"}, *facts[200:])
    filters = {"channel": "letter"}
    assert texts(tenant.client, "maya", facts[7], metadata_filters=filters, max_results=3) == [rare]
    assert texts(tenant.client, "maya", facts[7], metadata_filters={"channel": "telegram"}) == []
