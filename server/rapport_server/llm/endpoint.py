"""The language model's endpoint: how it is asked, how many requests at a time, and its every failure as LlmFailed."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit

import httpx2
import openai
import structlog
from openai import AsyncOpenAI, DefaultAsyncHttpxClient

from rapport_server.domain.limits import MESSAGE_BYTES_MAX
from rapport_server.domain.people import Turn
from rapport_server.errors import LlmFailed
from rapport_server.llm.bounded import EVENT_STREAM, bounded

# The SDK wants some key; servers of one's own mostly ask for none.
NO_KEY = "none"
RETRY_S_MAX = 60.0  # an endpoint may ask for an hour; a caller had better look again before
# Of the statuses below 500: late, conflict, too early, too many.
_PASSING_STATUSES = frozenset({408, 409, 425, 429})
# What the hosts of these names call the bound of an answer; everybody else knows it by the older name.
_NEW_BOUND_HOSTS = ("openai.com", "azure.com")
# What a database or a terminal could trip over; tab and the ends of lines stay.
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")

log = structlog.get_logger(__name__)


class Endpoint:
    """Implements `domain.ports.LanguageModel`. Never logs what it sends or receives."""

    def __init__(
        self,
        base_url: str,
        model: str,
        api_key: str | None = None,
        *,
        timeout_s: float,
        reply_tokens_max: int,
        concurrency_max: int,
    ) -> None:
        self._model = model
        self._timeout_s = timeout_s
        self._reply_tokens_max = reply_tokens_max
        self._slots = asyncio.Semaphore(concurrency_max)
        host = urlsplit(base_url).hostname or ""
        new = any(host == name or host.endswith(f".{name}") for name in _NEW_BOUND_HOSTS)
        self._bound_name = "max_completion_tokens" if new else "max_tokens"
        self._client = AsyncOpenAI(
            base_url=base_url,
            api_key=api_key or NO_KEY,
            timeout=timeout_s,
            max_retries=0,
            # A redirect would carry people's text to a host that nobody has configured.
            http_client=bounded(DefaultAsyncHttpxClient(follow_redirects=False)),
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def reply(
        self, system_prompt: str, turns: Sequence[Turn], wrote: Callable[[str], None]
    ) -> str:
        """The next turn of the conversation, whole; `wrote` gets each part of it as it comes. Raises LlmFailed."""
        messages = [{"role": "system", "content": system_prompt}]
        messages += [{"role": turn.role.value.lower(), "content": turn.content} for turn in turns]
        parts: list[str] = []
        bytes_left = MESSAGE_BYTES_MAX
        async with self._asking(self._timeout_s):
            chunks = await self._create(
                messages,
                self._reply_tokens_max,
                stream=True,
                extra_headers={"accept": EVENT_STREAM},
            )
            async with chunks:
                async for chunk in chunks:
                    text, ended = _part(chunk)
                    if text:
                        bytes_left -= len(text.encode())
                        if bytes_left < 0:
                            raise LlmFailed("The language model's answer is too long.")
                        parts.append(text)
                        wrote(text)
                    if ended:
                        break
                    # Of what came in one go: a thousand parts take a tenth of a second.
                    await asyncio.sleep(0)
                else:
                    raise LlmFailed("The language model broke off.")
            reply = "".join(parts)
            if not _is_visible(reply):
                raise LlmFailed("The language model's answer is empty.")
        return reply

    async def structured(
        self,
        instructions: str,
        content: str,
        schema_name: str,
        schema: Mapping[str, Any],
        *,
        timeout_s: float,
        tokens_max: int,
    ) -> str:
        """An answer in the form of a JSON schema, as the model wrote it: it still has to be checked. Raises LlmFailed."""
        messages = [
            {"role": "system", "content": instructions},
            {"role": "user", "content": content},
        ]
        form = {"name": schema_name, "strict": True, "schema": dict(schema)}
        async with self._asking(min(timeout_s, self._timeout_s)):
            completion = await self._create(
                messages,
                tokens_max,
                response_format={"type": "json_schema", "json_schema": form},
            )
            return _content(completion)

    async def probe(self) -> None:
        """Ask for the list of models, which carries no text. Raises LlmFailed."""
        async with self._asking(self._timeout_s):
            await self._client.models.list()

    async def _create(self, messages: list[dict[str, str]], tokens_max: int, **options: Any) -> Any:
        asked: Any = {self._bound_name: tokens_max, **options}
        return await self._client.chat.completions.create(
            model=self._model,
            messages=messages,  # type: ignore[arg-type]
            **asked,
        )

    @asynccontextmanager
    async def _asking(self, timeout_s: float) -> AsyncIterator[None]:
        """One of the slots; waiting for it counts."""
        try:
            async with asyncio.timeout(timeout_s), self._slots:
                yield
        except LlmFailed as error:
            log.warning("the language model failed", problem=error.message)
            raise
        except (
            TimeoutError,
            openai.OpenAIError,
            httpx2.HTTPError,
            ValueError,
            RecursionError,  # JSON nested by the thousand
        ) as error:
            failed = _failed(error)
            log.warning("the language model failed", problem=failed.message)
            raise failed from error


def _part(chunk: Any) -> tuple[str, bool]:
    """The text of one chunk, and whether it is the last; nothing of it has been checked by the SDK."""
    try:
        # Some endpoints tell the usage, or what they filtered, in chunks without any.
        if not chunk.choices:
            return "", False
        choice = chunk.choices[0]
        reason, text = choice.finish_reason, choice.delta.content
    except (AttributeError, IndexError, KeyError, TypeError):
        raise _unreadable() from None
    if reason == "content_filter":
        raise LlmFailed("The language model's endpoint filtered the answer.")
    return _clean(text), bool(reason)


def _content(completion: Any) -> str:
    try:
        return _clean(completion.choices[0].message.content)
    except (AttributeError, IndexError, KeyError, TypeError):
        raise _unreadable() from None


def _clean(text: object) -> str:
    """Text that can be stored and sent: JSON can hold halves of surrogate pairs, which UTF-8 cannot."""
    if text is None:
        return ""
    if not isinstance(text, str):
        raise _unreadable()
    return _CONTROL.sub("", text.encode(errors="replace").decode())


def _is_visible(text: str) -> bool:
    return any(char.isprintable() and not char.isspace() for char in text)


def _unreadable() -> LlmFailed:
    return LlmFailed("The language model's endpoint answered what is no chat completion.")


def _failed(error: Exception) -> LlmFailed:
    match error:
        case TimeoutError() | openai.APITimeoutError():
            return LlmFailed("The language model did not answer in time.")
        case openai.APIStatusError():
            return LlmFailed(
                f"The language model's endpoint answered with status {error.status_code}.",
                retry_s=_retry_s(error.status_code, error.response.headers.get("retry-after", "")),
            )
        # The body of an error page is read past the SDK's own translation.
        case openai.APIConnectionError() | httpx2.HTTPError():
            return LlmFailed("The language model's endpoint cannot be reached, or broke off.")
        case openai.APIError() if not isinstance(error, openai.APIResponseValidationError):
            return LlmFailed("The language model's endpoint answered with an error.")
        case _:
            return _unreadable()


def _retry_s(status: int, header: str) -> float | None:
    """When to ask again; None where the same request fails until somebody changes the configuration."""
    if status < 500 and status not in _PASSING_STATUSES:
        return None
    return min(RETRY_S_MAX, max(1.0, float(header))) if header.isdecimal() else 1.0
