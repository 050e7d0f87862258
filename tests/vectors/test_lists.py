"""PersonLists against brute force over the same fp16 vectors."""

import uuid

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from rapport_server.domain.ports import Position, Probe
from rapport_server.vectors.lists import PersonLists

from .database import D, unit
from .house import check

PLACE = Position(1, uuid.uuid4())


def filled(
    rng: np.random.Generator, sizes: list[int], lists: int = 64
) -> tuple[PersonLists, NDArray[np.int64], NDArray[np.int64], NDArray[np.float16]]:
    persons = np.repeat(np.arange(len(sizes), dtype=np.int64) + 100, sizes)
    rng.shuffle(persons)
    ids = np.arange(len(persons), dtype=np.int64) * 3 + 7
    vectors = unit(rng, len(persons))
    index = PersonLists(D, lists)
    index.add(ids, persons, vectors)
    return index, ids, persons, vectors


def scores_of(
    ids: NDArray[np.int64], vectors: NDArray[np.float16], query: NDArray[np.float32]
) -> dict[int, float]:
    return dict(
        zip(ids.tolist(), (vectors.astype("f8") @ query.astype("f8")).tolist(), strict=True)
    )


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    sizes=st.lists(st.integers(0, 40), min_size=1, max_size=5),
    k=st.integers(1, 60),
    filtered=st.booleans(),
    doubles=st.booleans(),
)
def test_search_equals_brute_force_for_any_k_filtered_or_not(
    seed: int, sizes: list[int], k: int, filtered: bool, doubles: bool
) -> None:
    rng = np.random.default_rng(seed)
    index, ids, persons, vectors = filled(rng, sizes)
    if doubles and len(ids):
        vectors = vectors[rng.integers(0, max(1, len(ids) // 4), len(ids))]
        index.add(ids, persons, vectors)
    query = unit(rng, 1)[0].astype(np.float32)
    for person_no in range(100, 100 + len(sizes)):
        own = persons == person_no
        allowed = rng.choice(ids, len(ids) // 2, replace=False) if filtered else None
        if allowed is not None:
            own &= np.isin(ids, allowed)
        (ranked,) = index.search([Probe(person_no, query, k, allowed)])
        check(ranked, scores_of(ids[own], vectors[own], query), k)


def test_equal_scores_at_the_cut_go_to_the_smaller_ids() -> None:
    rng = np.random.default_rng(1)
    index = PersonLists(D, 8)
    one, ids = unit(rng, 1), np.array([90, 10, 50, 30, 70, 20, 80, 40, 60], dtype=np.int64)
    index.add(ids, np.full(9, 5, dtype=np.int64), np.repeat(one, 9, axis=0))
    for k in range(1, 10):
        (ranked,) = index.search([Probe(5, one[0].astype(np.float32), k)])
        assert ranked.ids.tolist() == sorted(ids.tolist())[:k]
    allowed = np.array([90, 50, 80, 60], dtype=np.int64)
    (ranked,) = index.search([Probe(5, one[0].astype(np.float32), 2, allowed)])
    assert ranked.ids.tolist() == [50, 60]


def test_several_probes_at_once_answer_as_they_do_alone() -> None:
    rng = np.random.default_rng(2)
    index, ids, _, _ = filled(rng, [30, 1, 0, 17, 80])
    probes = [
        Probe(
            int(rng.integers(99, 107)),
            unit(rng, 1)[0].astype(np.float32),
            int(rng.integers(0, 40)),
            rng.choice(ids, 20, replace=False) if place % 3 == 0 else None,
        )
        for place in range(40)
    ]
    for probe, ranked in zip(probes, index.search(probes), strict=True):
        (alone,) = index.search([probe])
        assert ranked.ids.tolist() == alone.ids.tolist()
        assert ranked.scores.tolist() == alone.scores.tolist()


def test_a_person_unknown_or_with_nothing_allowed_has_nothing() -> None:
    rng = np.random.default_rng(3)
    index, ids, _, _ = filled(rng, [5])
    query = unit(rng, 1)[0].astype(np.float32)
    nothing = np.empty(0, dtype=np.int64)
    strangers = np.array([1, 2], dtype=np.int64)
    probes = [Probe(999, query, 5), Probe(100, query, 5, nothing), Probe(100, query, 5, strangers)]
    assert [len(ranked.ids) for ranked in index.search([*probes, Probe(100, query, 0)])] == [0] * 4
    assert len(index.search([Probe(100, query, 5, ids)])[0].ids) == 5


def test_a_removed_vector_is_never_found_by_itself_again_and_the_count_drops() -> None:
    rng = np.random.default_rng(4)
    index, ids, persons, vectors = filled(rng, [40, 40])
    gone = ids[::3]
    assert index.remove(np.concatenate([gone, gone, [10**12]])) == len(gone)
    assert len(index) == len(ids) - len(gone)
    for chunk_id, person_no, vector in zip(ids, persons, vectors, strict=True):
        (ranked,) = index.search([Probe(int(person_no), vector.astype(np.float32), 100)])
        assert not set(ranked.ids.tolist()) & set(gone.tolist())
        if chunk_id not in gone:
            assert ranked.ids[0] == chunk_id


def test_an_id_added_again_is_replaced_even_in_another_persons_list() -> None:
    rng = np.random.default_rng(5)
    index, ids, _, _ = filled(rng, [3, 3])
    new = unit(rng, 2)
    twice = np.array([ids[0], ids[0]], dtype=np.int64)
    index.add(twice, np.array([100, 101], dtype=np.int64), new)
    assert len(index) == 6
    (mine, yours) = index.search([Probe(p, new[1].astype(np.float32), 9) for p in (100, 101)])
    assert ids[0] not in mine.ids
    assert yours.ids[0] == ids[0]


def test_rows_with_numbers_that_are_not_finite_stay_out() -> None:
    index = PersonLists(D, 4)
    vectors = np.zeros((4, D), dtype=np.float16)
    vectors[1, 3], vectors[2, 0], vectors[3, 5] = np.nan, np.inf, 65504
    left_out = index.add(np.arange(4), np.full(4, 1, dtype=np.int64), vectors)
    (ranked,) = index.search([Probe(1, np.full(D, 0.25, dtype=np.float32), 10)])
    assert (left_out, len(index), ranked.ids.tolist()) == (2, 2, [3, 0])
    assert np.isfinite(ranked.scores).all()


def test_a_query_of_another_dimension_or_not_finite_is_refused() -> None:
    index, _, _, _ = filled(np.random.default_rng(6), [3])
    bad = np.ones(D, dtype=np.float32)
    bad[2] = np.nan
    for query in (np.ones(D + 1, dtype=np.float32), bad):
        with pytest.raises(ValueError, match="finite numbers"):
            index.search([Probe(100, query, 3)])


def test_more_persons_than_lists_are_refused_whole_and_fit_after_a_rewrite() -> None:
    rng = np.random.default_rng(7)
    index, ids, persons, vectors = filled(rng, [2, 2], lists=3)
    newcomers = np.arange(50, dtype=np.int64) + 500
    more, rows = np.arange(50, dtype=np.int64) + 10_000, unit(rng, 50)
    with pytest.raises(IndexError):
        index.add(more, newcomers, rows)
    assert len(index) == 4
    grown = index.rewritten(room_for=50)
    grown.add(more, newcomers, rows)
    for chunk_id, person_no, vector in zip(
        np.concatenate([ids, more]),
        np.concatenate([persons, newcomers]),
        np.concatenate([vectors, rows]),
        strict=True,
    ):
        (ranked,) = grown.search([Probe(int(person_no), vector.astype(np.float32), 1)])
        assert ranked.ids.tolist() == [chunk_id]


def test_an_image_and_back_keeps_every_bit() -> None:
    rng = np.random.default_rng(8)
    index, ids, persons, vectors = filled(rng, [7, 0, 12, 1])
    image = index.image(PLACE)
    again = PersonLists.of(image, D).image(PLACE)
    for one in (image, again):
        assert one.position == PLACE
        rows = dict(zip(one.ids.tolist(), one.vectors, strict=True))
        owners = dict(zip(one.ids.tolist(), np.repeat(*one.persons.T).tolist(), strict=True))
        assert owners == dict(zip(ids.tolist(), persons.tolist(), strict=True))
        for chunk_id, vector in zip(ids.tolist(), vectors, strict=True):
            assert rows[chunk_id].tobytes() == vector.tobytes()


def test_dropping_overwrites_the_bytes_and_frees_the_list_for_another_person() -> None:
    rng = np.random.default_rng(9)
    index, _, _, _ = filled(rng, [20, 20], lists=2)
    _, codes = index._rows(index._numbers[100])
    assert codes.any()
    assert index.drop(100) == 20
    # FAISS keeps the room of an emptied list, so the view still shows the very bytes.
    assert not codes.any()
    assert (index.count(100), len(index), index.spare) == (0, 20, 1)
    index.add(np.array([9000]), np.array([777]), unit(rng, 1))
    assert (index.count(777), index.count(101)) == (1, 20)


def test_slack_is_known_and_a_rewrite_gives_it_back() -> None:
    rng = np.random.default_rng(10)
    index, ids, _, _ = filled(rng, [100] * 20)
    index.remove(ids[::2])
    rewritten = index.rewritten()
    row_bytes = 2 * D + 8
    # Lists double: 100 rows have room for 128, of which half are left.
    assert index.slack_bytes == (128 * 20 - 1000) * row_bytes
    assert rewritten.slack_bytes == 0
    assert rewritten.resident_bytes < index.resident_bytes - index.slack_bytes * 0.9
