"""Questions of concurrent callers share a statement."""

import asyncio
from collections.abc import Sequence

import pytest

from rapport_server.commands.together import QUESTIONS_MAX, Together


class Asked:
    """Answers each number with its double, None for what is odd by nature; holds every statement until told to go on."""

    def __init__(self) -> None:
        self.statements: list[list[int]] = []
        self.go_on = asyncio.Event()

    async def __call__(self, questions: Sequence[int]) -> dict[int, int]:
        self.statements.append(list(questions))
        await self.go_on.wait()
        if 13 in questions:
            raise ZeroDivisionError
        return {n: 2 * n for n in questions if n >= 0}


async def settled(statements: list[list[int]], count: int) -> None:
    while len(statements) < count:
        await asyncio.sleep(0)


async def test_those_who_come_while_a_statement_is_under_way_share_the_next_one() -> None:
    asked = Asked()
    together = Together(asked)
    first = asyncio.create_task(together(1))
    await settled(asked.statements, 1)
    others = [asyncio.create_task(together(n)) for n in (2, 3, 2, 1)]
    await asyncio.sleep(0)
    # 1 is asked again: its answer under way may be older than the question.
    asked.go_on.set()
    assert await asyncio.gather(first, *others) == [2, 4, 6, 4, 2]
    assert asked.statements == [[1], [2, 3, 1]]


async def test_what_has_no_answer_is_none_and_the_next_statement_is_a_new_one() -> None:
    asked = Asked()
    asked.go_on.set()
    together = Together(asked)
    assert await asyncio.gather(together(-1), together(4)) == [None, 8]
    assert await together(5) == 10
    assert asked.statements == [[-1, 4], [5]]


async def test_an_error_is_told_to_those_whose_question_raises_it_and_to_nobody_else() -> None:
    asked = Asked()
    asked.go_on.set()
    together = Together(asked)
    answers = await asyncio.gather(*map(together, (1, 13, 2, 13)), return_exceptions=True)
    assert answers[0::2] == [2, 4]
    assert all(isinstance(answer, ZeroDivisionError) for answer in answers[1::2])
    assert asked.statements == [[1, 13, 2], [1], [13], [2]]
    assert await together(7) == 14


async def test_a_caller_who_has_gone_is_not_asked_for_and_takes_nobody_along() -> None:
    asked = Asked()
    together = Together(asked)
    first, gone, third = (asyncio.create_task(together(n)) for n in (1, 2, 3))
    await settled(asked.statements, 1)
    later = asyncio.create_task(together(4))
    await asyncio.sleep(0)
    gone.cancel()
    later.cancel()
    await asyncio.sleep(0)
    asked.go_on.set()
    assert await asyncio.gather(first, third) == [2, 6]
    with pytest.raises(asyncio.CancelledError):
        await gone
    await asyncio.sleep(0.01)
    assert asked.statements == [[1, 2, 3]]


async def test_a_crowd_is_asked_for_in_statements_of_bounded_size() -> None:
    asked = Asked()
    asked.go_on.set()
    together = Together(asked)
    crowd = range(100, 101 + 2 * QUESTIONS_MAX)
    assert await asyncio.gather(*map(together, crowd)) == [2 * n for n in crowd]
    assert [len(statement) for statement in asked.statements] == [QUESTIONS_MAX, QUESTIONS_MAX, 1]
