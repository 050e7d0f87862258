"""Questions of concurrent callers, asked in one statement."""

import asyncio
from collections.abc import Awaitable, Callable, Hashable, Mapping, Sequence
from typing import Generic, TypeVar

Question = TypeVar("Question", bound=Hashable)
Answer = TypeVar("Answer")

# What one statement is asked at most: some milliseconds of work, so that a crowd cannot make one of its callers wait long.
QUESTIONS_MAX = 64


class Together(Generic[Question, Answer]):
    """Asks at once for everybody who came while the last statement was under way, or in the same turn of the loop.

    An answer is never older than its question: a question joins only a statement that has not begun. When a statement
    fails each of its questions is asked by itself, so that nobody gets another's error. Waiting is bounded by the calls in
    flight. Belongs to one event loop.
    """

    def __init__(
        self, ask: Callable[[Sequence[Question]], Awaitable[Mapping[Question, Answer]]]
    ) -> None:
        """`ask` answers distinct questions; one that is missing in its answer has none."""
        self._ask = ask
        self._waiting: list[tuple[Question, asyncio.Future[Answer | None]]] = []
        self._asking: asyncio.Task[None] | None = None

    async def __call__(self, question: Question) -> Answer | None:
        """The answer, None when there is none. Raises what asking raises."""
        future: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._waiting.append((question, future))
        if self._asking is None:
            self._asking = asyncio.create_task(self._ask_all())
        return await future

    async def _ask_all(self) -> None:
        try:
            while self._waiting:
                turn, self._waiting = self._waiting[:QUESTIONS_MAX], self._waiting[QUESTIONS_MAX:]
                # Callers who were cancelled meanwhile want nothing any more.
                await self._ask_some(
                    [(asked, caller) for asked, caller in turn if not caller.done()]
                )
        finally:
            self._asking = None

    async def _ask_some(
        self, turn: Sequence[tuple[Question, "asyncio.Future[Answer | None]"]]
    ) -> None:
        questions = list(dict.fromkeys(question for question, _ in turn))
        try:
            answers = await self._ask(questions) if questions else {}
        except Exception as error:  # whatever it is, it belongs to those who asked
            if len(questions) > 1:
                for question in questions:
                    await self._ask_some([one for one in turn if one[0] == question])
                return
            for _, caller in turn:
                if not caller.done():
                    caller.set_exception(error)
            return
        for question, caller in turn:
            if not caller.done():
                caller.set_result(answers.get(question))
