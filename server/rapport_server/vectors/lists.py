"""A FAISS index with one inverted list per person: exact search in a list, removal by id. Knows no threads."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from rapport_server.domain.ports import Position, Probe, Ranked
from rapport_server.vectors.engine import faiss
from rapport_server.vectors.image import Image, finite_rows
from rapport_server.vectors.scoring import NOTHING, nearest

# Lists kept spare so that new persons rarely mean a rewrite: half of the used ones, and a few for a new tenant.
SPARE_LISTS_MIN = 16
# Rows converted to float32 at a time while adding, so that a bulk change needs 6 MB beside the shard, not double its size.
_ADD_ROWS = 4096
# Measured resident sizes: an empty index, one of its lists, the id table's entry of one vector, a person in the dict.
_INDEX_BYTES, _LIST_BYTES, _ENTRY_BYTES, _PERSON_BYTES = 8192, 168, 40, 120
# What one more probe costs, in vectors scanned (about 15 µs).
_PROBE_VECTORS = 150


def spare_for(persons: int) -> int:
    """How many lists to leave free beside those of `persons`."""
    return SPARE_LISTS_MIN + persons // 2


class PersonLists:
    """fp16 vectors, scored by inner product with a float32 query, each person's in a contiguous block.

    The number of lists is fixed when FAISS makes an index. When `spare` is too small, `rewritten` makes a larger one.
    """

    def __init__(self, dimension: int, lists: int) -> None:
        self.dimension = dimension
        self._code_bytes = 2 * dimension
        quantizer = faiss.IndexFlatIP(dimension)
        self._index = faiss.IndexIVFScalarQuantizer(
            quantizer,
            dimension,
            lists,
            faiss.ScalarQuantizer.QT_fp16,
            faiss.METRIC_INNER_PRODUCT,
            False,
        )
        quantizer.this.disown()
        self._index.own_fields = True
        # fp16 needs no training, and lists are always given, so the quantizer stays empty.
        self._index.is_trained = True
        self._index.set_direct_map_type(faiss.DirectMap.Hashtable)
        self._invlists = faiss.downcast_InvertedLists(self._index.invlists)
        self._numbers: dict[int, int] = {}
        self._free = list(range(lists - 1, -1, -1))
        # std::vector grows by doubling and never shrinks; it does not tell its capacity, so it is reckoned here.
        self._capacity = np.zeros(lists, dtype=np.int64)
        self._capacity_total = 0

    @classmethod
    def of(cls, image: Image, dimension: int) -> "PersonLists":
        """An index with exactly the image's rows and no slack."""
        lists = cls(dimension, len(image.persons) + spare_for(len(image.persons)))
        ids, codes = image.ids, image.vectors.view(np.uint8)
        start = 0
        with _Filling(lists) as filling:
            for person_no, length in image.persons.tolist():
                end = start + length
                filling.put(person_no, length, ids[start:end], codes[start:end])
                start = end
        return lists

    def rewritten(self, room_for: int = 0) -> "PersonLists":
        """A copy without slack, without persons who have nothing left, with lists for `room_for` new persons."""
        live = [
            (person_no, number) for person_no, number in self._numbers.items() if self._size(number)
        ]
        copy = PersonLists(self.dimension, len(live) + room_for + spare_for(len(live) + room_for))
        with _Filling(copy) as filling:
            for person_no, number in live:
                ids, codes = self._rows(number)
                filling.put(person_no, len(ids), ids, codes)
        return copy

    def __len__(self) -> int:
        return int(self._index.ntotal)

    @property
    def spare(self) -> int:
        """How many more persons fit."""
        return len(self._free)

    @property
    def resident_bytes(self) -> int:
        """Bytes of memory that the index takes, slack included."""
        return self._fixed_bytes + self._capacity_total * (self._code_bytes + 8)

    @property
    def slack_bytes(self) -> int:
        """Bytes that `rewritten` would give back: room that grew by doubling or was left by removed vectors."""
        return (self._capacity_total - len(self)) * (self._code_bytes + 8)

    @property
    def _fixed_bytes(self) -> int:
        lists, persons = len(self._capacity), len(self._numbers)
        return (
            _INDEX_BYTES + lists * _LIST_BYTES + persons * _PERSON_BYTES + len(self) * _ENTRY_BYTES
        )

    def count(self, person_no: int) -> int:
        """How many vectors the person has."""
        number = self._numbers.get(person_no)
        return 0 if number is None else self._size(number)

    def unknown(self, persons: NDArray[np.int64]) -> int:
        """How many of these persons have no list yet."""
        return sum(person_no not in self._numbers for person_no in np.unique(persons).tolist())

    def add(
        self, ids: NDArray[np.int64], persons: NDArray[np.int64], vectors: NDArray[np.float16]
    ) -> int:
        """Add rows, each to its person's list; an id that is there already is replaced.

        Returns how many rows were left out because a number in them is not finite. Raises ValueError for another
        dimension, IndexError when there are more new persons than spare lists; nothing is added then.
        """
        if vectors.shape != (len(ids), self.dimension) or persons.shape != ids.shape:
            raise ValueError(
                f"vectors have shape {vectors.shape}, ids {ids.shape}, dimension {self.dimension}"
            )
        if self.unknown(persons) > self.spare:
            raise IndexError("more new persons than spare lists")
        whole = finite_rows(vectors)
        self.remove(ids)
        kept = np.flatnonzero(whole & _last_of_each(ids))
        for start in range(0, len(kept), _ADD_ROWS):
            rows = kept[start : start + _ADD_ROWS]
            self._add_rows(ids[rows], persons[rows], vectors[rows])
        return int(len(ids) - np.count_nonzero(whole))

    def remove(self, ids: NDArray[np.int64]) -> int:
        """Remove these ids where they are; returns how many were."""
        if not len(ids):
            return 0
        wanted = np.ascontiguousarray(ids, dtype=np.int64)
        return int(self._index.remove_ids(faiss.IDSelectorArray(wanted)))

    def drop(self, person_no: int) -> int:
        """Remove a person's whole list, its bytes overwritten; returns how many vectors it had."""
        number = self._numbers.pop(person_no, None)
        if number is None:
            return 0
        ids, codes = self._rows(number)
        codes[:] = 0
        self.remove(ids.copy())
        self._free.append(number)
        return len(ids)

    def cost(self, probes: Iterable[Probe]) -> int:
        """What searching takes, in vectors scanned or filter ids read."""
        return sum(
            _PROBE_VECTORS
            + self.count(probe.person_no)
            + (0 if probe.allowed is None else len(probe.allowed))
            for probe in probes
        )

    def search(self, probes: Sequence[Probe]) -> list[Ranked]:
        """Answer each probe exactly, best first, equal scores by the smaller id; finite scores only.

        Probes without a filter and with the same k share one call into FAISS.
        """
        answers = [NOTHING] * len(probes)
        together: dict[int, list[int]] = {}
        for place, probe in enumerate(probes):
            size = self.count(probe.person_no)
            if probe.k < 1 or not size:
                continue
            if probe.allowed is None:
                together.setdefault(probe.k, []).append(place)
            elif len(probe.allowed):
                # The selector must outlive the call: FAISS keeps a bare pointer to it.
                selector = faiss.IDSelectorBatch(
                    np.ascontiguousarray(probe.allowed, dtype=np.int64)
                )
                answers[place] = self._answer([probe], probe.k, selector)[0]
        for k, places in together.items():
            found = self._answer([probes[place] for place in places], k, None)
            for place, ranked in zip(places, found, strict=True):
                answers[place] = ranked
        return answers

    def image(self, position: Position) -> Image:
        """Copy everything out, persons with nothing left omitted."""
        live = [
            (person_no, number) for person_no, number in self._numbers.items() if self._size(number)
        ]
        persons = np.empty((len(live), 2), dtype=np.int64)
        ids = np.empty(len(self), dtype=np.int64)
        vectors = np.empty((len(self), self.dimension), dtype=np.float16)
        flat, start = vectors.view(np.uint8), 0
        for place, (person_no, number) in enumerate(live):
            some_ids, codes = self._rows(number)
            end = start + len(some_ids)
            persons[place] = person_no, len(some_ids)
            ids[start:end], flat[start:end] = some_ids, codes
            start = end
        return Image(position, persons, ids, vectors)

    def _answer(self, probes: Sequence[Probe], k: int, selector: object | None) -> list[Ranked]:
        numbers = np.array([self._numbers[probe.person_no] for probe in probes], dtype=np.int64)
        queries = np.ascontiguousarray([probe.vector for probe in probes], dtype=np.float32)
        longest = max(self._size(number) for number in numbers.tolist())
        return nearest(self._index, numbers, queries, min(k, longest), selector)

    def _add_rows(
        self, ids: NDArray[np.int64], persons: NDArray[np.int64], vectors: NDArray[np.float16]
    ) -> None:
        uniques, inverse = np.unique(persons, return_inverse=True)
        assigned = np.array(
            [self._number(person_no) for person_no in uniques.tolist()], dtype=np.int64
        )
        # Named, because FAISS reads them through bare pointers.
        numbers, rows = np.ascontiguousarray(assigned[inverse]), vectors.astype(np.float32)
        labels = np.ascontiguousarray(ids, dtype=np.int64)
        self._index.add_core(
            len(ids), faiss.swig_ptr(rows), faiss.swig_ptr(labels), faiss.swig_ptr(numbers)
        )
        for number in assigned.tolist():
            self._reckon(number, doubling=True)

    def _number(self, person_no: int) -> int:
        number = self._numbers.get(person_no)
        if number is None:
            number = self._numbers[person_no] = self._free.pop()
        return number

    def _reckon(self, number: int, *, doubling: bool) -> None:
        size, before = self._size(number), int(self._capacity[number])
        if size <= before:
            return
        after = max(before, 1) if doubling else size
        while after < size:
            after *= 2
        self._capacity[number] = after
        self._capacity_total += after - before

    def _size(self, number: int) -> int:
        return int(self._invlists.list_size(number))

    def _rows(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """A list's ids (m,) and codes (m, code bytes), as views into FAISS' own memory."""
        size = self._size(number)
        if not size:
            return np.empty(0, dtype=np.int64), np.empty((0, self._code_bytes), dtype=np.uint8)
        ids = faiss.rev_swig_ptr(self._invlists.get_ids(number), size)
        codes = faiss.rev_swig_ptr(self._invlists.get_codes(number), size * self._code_bytes)
        return ids, codes.reshape(size, self._code_bytes)


class _Filling:
    """Fills an empty index list by list; the table of ids is made once at the end."""

    def __init__(self, lists: PersonLists) -> None:
        self._lists = lists
        self._total = 0

    def __enter__(self) -> "_Filling":
        self._lists._index.set_direct_map_type(faiss.DirectMap.NoMap)
        return self

    def put(
        self, person_no: int, length: int, ids: NDArray[np.int64], codes: NDArray[np.uint8]
    ) -> None:
        """Give a person rows, ids (length,) and codes (length, code bytes), both contiguous."""
        number = self._lists._number(person_no)
        self._lists._invlists.add_entries(
            number, length, faiss.swig_ptr(ids), faiss.swig_ptr(codes)
        )
        self._lists._reckon(number, doubling=False)
        self._total += length

    def __exit__(self, *_: object) -> None:
        self._lists._index.ntotal = self._total
        self._lists._index.set_direct_map_type(faiss.DirectMap.Hashtable)


def _last_of_each(ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    _, from_the_end = np.unique(ids[::-1], return_index=True)
    last = np.zeros(len(ids), dtype=np.bool_)
    last[len(ids) - 1 - from_the_end] = True
    return last
