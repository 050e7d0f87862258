"""One blocking method per RPC. Generated from proto/rapport/v1 by `make generate`; not edited by hand."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rapport import contract as c
from rapport import messages as m
from rapport.calls import Calls
from rapport.requests import DurationInput, FieldMaskInput, StructInput, TimeInput
from rapport.streams import Pager, Stream, run


class Methods:
    """One blocking method per RPC."""

    _calls: Calls

    def process(
        self,
        end_user_id: str = "",
        *,
        message: str,
        assistant_message: str = "",
        channel: str = "",
        session_id: str = "",
        metadata: StructInput | None = None,
        user_name: str = "",
        time_zone: str = "",
        recall: c.RecallOptionsInput | None = None,
        signals: c.SignalsInput | None = None,
        events: Sequence[c.RelationEventInput] = (),
        occurred_at: TimeInput | None = None,
        infer: bool | None = None,
        generate_reply: bool = False,
        conversation_history: Sequence[c.ConversationTurnInput] = (),
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.ProcessResponse:
        """Takes one message of a person: recalls, analyses, stores it, moves the relation, and
        answers all that a reply needs. One transaction; parallel calls on one person equal a
        serial replay. WRITER.

        end_user_id: The person, 1–256 bytes without control characters. Empty = the tenant's
            default_end_user_id; INVALID_ARGUMENT if it has none.
        message: What the person said, 1 byte–32 KiB, not blank.
        assistant_message: What was answered, at most 32 KiB, if the caller knows it already; empty
            = not yet (AttachReply). Together with generate_reply: INVALID_ARGUMENT.
        channel: Where it was said ("app", "phone"), at most 256 bytes, default empty.
        session_id: The conversation it belongs to, at most 256 bytes, default empty.
        metadata: Free metadata of the interaction, at most 16 KiB as JSON.
        user_name: The person's name, at most 256 bytes, for the prompt and derived statements;
            empty = "User".
        time_zone: The IANA zone the person lives in ("Europe/Rome"), for dates in words; empty =
            UTC, unknown: INVALID_ARGUMENT.
        recall: How to recall; unset = all defaults.
        signals: The caller's own reading of the message; overrides the server's field by field.
        events: Events to apply before the interaction's own increments, at most 32.
        occurred_at: When it was said; unset = now. More than 5 minutes in the future:
            INVALID_ARGUMENT.
        infer: Derive statements about the person from this exchange too; unset = the tenant's
            infer_default.
        generate_reply: Let the server's language model write `reply`, which is then stored with the
            interaction; default false. A server without one: FAILED_PRECONDITION,
            LLM_NOT_CONFIGURED; a tenant without allow_llm: LLM_NOT_ALLOWED; nothing is written
            then. If the model fails, or gives no answer of 1 byte–32 KiB, the interaction is stored
            already: UNAVAILABLE, LLM_FAILED, and the same request_id goes on there.
        conversation_history: The turns before, at most 20 and 128 KiB, for the prompt of
            generate_reply only: they are never stored, and without generate_reply they are checked
            and have no effect.
        """
        return run(
            self._calls.unary(
                c.PROCESS,
                {
                    "end_user_id": end_user_id,
                    "message": message,
                    "assistant_message": assistant_message,
                    "channel": channel,
                    "session_id": session_id,
                    "metadata": metadata,
                    "user_name": user_name,
                    "time_zone": time_zone,
                    "recall": recall,
                    "signals": signals,
                    "events": events,
                    "occurred_at": occurred_at,
                    "infer": infer,
                    "generate_reply": generate_reply,
                    "conversation_history": conversation_history,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def process_stream(
        self,
        end_user_id: str = "",
        *,
        message: str,
        assistant_message: str = "",
        channel: str = "",
        session_id: str = "",
        metadata: StructInput | None = None,
        user_name: str = "",
        time_zone: str = "",
        recall: c.RecallOptionsInput | None = None,
        signals: c.SignalsInput | None = None,
        events: Sequence[c.RelationEventInput] = (),
        occurred_at: TimeInput | None = None,
        infer: bool | None = None,
        generate_reply: bool = False,
        conversation_history: Sequence[c.ConversationTurnInput] = (),
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> Stream[m.ProcessStreamResponse]:
        """Process, with the reply sent as it is written: one `opening`, then reply_deltas, then one
        `final`. A caller who leaves before `final` ends the writing; the same request_id goes on
        there. WRITER.

        end_user_id: The person, 1–256 bytes without control characters. Empty = the tenant's
            default_end_user_id; INVALID_ARGUMENT if it has none.
        message: What the person said, 1 byte–32 KiB, not blank.
        assistant_message: What was answered, at most 32 KiB, if the caller knows it already; empty
            = not yet (AttachReply). Together with generate_reply: INVALID_ARGUMENT.
        channel: Where it was said ("app", "phone"), at most 256 bytes, default empty.
        session_id: The conversation it belongs to, at most 256 bytes, default empty.
        metadata: Free metadata of the interaction, at most 16 KiB as JSON.
        user_name: The person's name, at most 256 bytes, for the prompt and derived statements;
            empty = "User".
        time_zone: The IANA zone the person lives in ("Europe/Rome"), for dates in words; empty =
            UTC, unknown: INVALID_ARGUMENT.
        recall: How to recall; unset = all defaults.
        signals: The caller's own reading of the message; overrides the server's field by field.
        events: Events to apply before the interaction's own increments, at most 32.
        occurred_at: When it was said; unset = now. More than 5 minutes in the future:
            INVALID_ARGUMENT.
        infer: Derive statements about the person from this exchange too; unset = the tenant's
            infer_default.
        generate_reply: Let the server's language model write `reply`, which is then stored with the
            interaction; default false. A server without one: FAILED_PRECONDITION,
            LLM_NOT_CONFIGURED; a tenant without allow_llm: LLM_NOT_ALLOWED; nothing is written
            then. If the model fails, or gives no answer of 1 byte–32 KiB, the interaction is stored
            already: UNAVAILABLE, LLM_FAILED, and the same request_id goes on there.
        conversation_history: The turns before, at most 20 and 128 KiB, for the prompt of
            generate_reply only: they are never stored, and without generate_reply they are checked
            and have no effect.
        """
        return Stream(
            self._calls,
            c.PROCESS_STREAM,
            {
                "end_user_id": end_user_id,
                "message": message,
                "assistant_message": assistant_message,
                "channel": channel,
                "session_id": session_id,
                "metadata": metadata,
                "user_name": user_name,
                "time_zone": time_zone,
                "recall": recall,
                "signals": signals,
                "events": events,
                "occurred_at": occurred_at,
                "infer": infer,
                "generate_reply": generate_reply,
                "conversation_history": conversation_history,
                "tenant_id": tenant_id,
                "request_id": request_id,
            },
            timeout,
        )

    def attach_reply(
        self,
        end_user_id: str = "",
        *,
        interaction_id: str,
        assistant_message: str,
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.AttachReplyResponse:
        """Adds the assistant's reply to an interaction, for callers that run their own language
        model. A second reply is ALREADY_EXISTS, an unknown interaction NOT_FOUND. WRITER.

        end_user_id: The person, 1–256 bytes without control characters. Empty = the tenant's
            default_end_user_id; INVALID_ARGUMENT if it has none.
        interaction_id: The interaction, as Process answered it; unknown for this person: NOT_FOUND.
        assistant_message: What was answered, 1 byte–32 KiB, not blank.
        """
        return run(
            self._calls.unary(
                c.ATTACH_REPLY,
                {
                    "end_user_id": end_user_id,
                    "interaction_id": interaction_id,
                    "assistant_message": assistant_message,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def add_memory(
        self,
        end_user_id: str = "",
        *,
        memories: Sequence[c.MemoryItemInput],
        upsert: bool | None = None,
        wait: DurationInput | None = None,
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.AddMemoryResponse:
        """Stores memories about a person and indexes them in the background. A bad item fails
        alone, in its result. WRITER.

        end_user_id: The person, 1–256 bytes without control characters. Empty = the tenant's
            default_end_user_id; INVALID_ARGUMENT if it has none.
        memories: The memories, 1–1,000; none or more: INVALID_ARGUMENT. Of two with the same
            source_id the later wins and the earlier's result is SUPERSEDED_IN_CALL.
        upsert: Replace what exists under the same source_id, derived memories included; default
            true. False: such an item is ALREADY_EXISTS.
        wait: Wait until all are COMPLETED or ERRORED, at most this long; unset or 0 = do not wait,
            negative or over 60 s: INVALID_ARGUMENT.
        """
        return run(
            self._calls.unary(
                c.ADD_MEMORY,
                {
                    "end_user_id": end_user_id,
                    "memories": memories,
                    "upsert": upsert,
                    "wait": wait,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def verify_processing(
        self,
        end_user_id: str = "",
        *,
        store: c.StoreInput | None = None,
        source_ids: Sequence[str],
        tenant_id: str = "",
        timeout: float | None = None,
    ) -> m.VerifyProcessingResponse:
        """Answers how far memories have come, in the order asked. READER.

        end_user_id: The person, 1–256 bytes without control characters; empty = the tenant's
            default_end_user_id, INVALID_ARGUMENT if it has none. Must be empty for store KNOWLEDGE.
        store: Where they are kept; default MEMORIES, ALL is INVALID_ARGUMENT.
        source_ids: The memories, 1–1,000; none or more: INVALID_ARGUMENT.
        """
        return run(
            self._calls.unary(
                c.VERIFY_PROCESSING,
                {
                    "end_user_id": end_user_id,
                    "store": store,
                    "source_ids": source_ids,
                    "tenant_id": tenant_id,
                },
                timeout,
            )
        )

    def watch_processing(
        self,
        end_user_id: str = "",
        *,
        store: c.StoreInput | None = None,
        source_ids: Sequence[str],
        tenant_id: str = "",
        timeout: float | None = None,
    ) -> Stream[m.WatchProcessingResponse]:
        """Streams each change of the memories' states once, beginning with how they stand, until
        all are COMPLETED, ERRORED or NOT_FOUND. READER.

        end_user_id: The person, 1–256 bytes without control characters; empty = the tenant's
            default_end_user_id, INVALID_ARGUMENT if it has none. Must be empty for store KNOWLEDGE.
        store: Where they are kept; default MEMORIES, ALL is INVALID_ARGUMENT.
        source_ids: The memories, 1–1,000; none or more: INVALID_ARGUMENT.
        """
        return Stream(
            self._calls,
            c.WATCH_PROCESSING,
            {
                "end_user_id": end_user_id,
                "store": store,
                "source_ids": source_ids,
                "tenant_id": tenant_id,
            },
            timeout,
        )

    def retry_processing(
        self,
        end_user_id: str = "",
        *,
        store: c.StoreInput | None = None,
        source_ids: Sequence[str],
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.RetryProcessingResponse:
        """Queues ERRORED memories again and answers their states; others are left as they are.
        WRITER.

        end_user_id: The person, 1–256 bytes without control characters; empty = the tenant's
            default_end_user_id, INVALID_ARGUMENT if it has none. Must be empty for store KNOWLEDGE.
        store: Where they are kept; default MEMORIES, ALL is INVALID_ARGUMENT.
        source_ids: The memories, 1–1,000; none or more: INVALID_ARGUMENT. Those not ERRORED are
            left as they are.
        """
        return run(
            self._calls.unary(
                c.RETRY_PROCESSING,
                {
                    "end_user_id": end_user_id,
                    "store": store,
                    "source_ids": source_ids,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def recall(
        self,
        end_user_id: str = "",
        *,
        query: str,
        store: c.StoreInput | None = None,
        max_results: int = 0,
        mode: c.RecallModeInput | None = None,
        alpha: float | None = None,
        recency_bias: float = 0.0,
        min_similarity: float | None = None,
        metadata_filters: StructInput | None = None,
        search_forceful_relations: bool | None = None,
        graph_context: bool = False,
        additional_context: str = "",
        as_of: TimeInput | None = None,
        neighbors: int = 0,
        tenant_id: str = "",
        timeout: float | None = None,
    ) -> m.RecallResponse:
        """Finds what is remembered. An empty store answers nothing; a filter without a match too.
        READER.

        end_user_id: The person, 1–256 bytes without control characters; empty = the tenant's
            default_end_user_id, INVALID_ARGUMENT if it has none. Must be empty for store KNOWLEDGE.
        query: What to look for, 1 byte–8 KiB, not blank.
        store: Where to look; default MEMORIES, ALL needs a person too.
        max_results: How many results at most, 1–1,000; 0 = 10, outside: INVALID_ARGUMENT.
        mode: How much work to do; default FAST.
        alpha: The exact mix of meaning (1) and words (0), 0–1; unset = full fusion, outside or not
            finite: INVALID_ARGUMENT.
        recency_bias: How much newer memories are preferred, 0 (not) to 1, default 0; outside or not
            finite: INVALID_ARGUMENT.
        min_similarity: The least similarity of a result, −1–1; unset = no limit, outside or not
            finite: INVALID_ARGUMENT.
        metadata_filters: Only memories that match, applied before the search. Keys: schema fields
            with enable_match; the reserved channel, session_id, intent, detected_emotions, kind,
            occurred_at; `additional_metadata` (or `document_metadata`) holds an object on the free
            metadata. A value is equality, a list any of, an object holds $ne $gt $gte $lt $lte $in
            $nin $exists; all are ANDed, $ne matches absent. Unknown keys and operators, a declared
            type's mismatch, `[]` and `{}`: INVALID_ARGUMENT. `*` is a literal.
        search_forceful_relations: Add the memories that results are related to by their writer;
            default true.
        graph_context: Answer the graph around the results too. Default false.
        additional_context: A hint, at most 2 KiB: a second query vector of weight 0.3, never
            stored. Default empty.
        as_of: What was known and not yet ended at this time; unset = now. Deleted or replaced
            versions are not brought back.
        neighbors: How many turns or chunks before and after each result to add, 0–5, default 0;
            outside: INVALID_ARGUMENT.
        """
        return run(
            self._calls.unary(
                c.RECALL,
                {
                    "end_user_id": end_user_id,
                    "query": query,
                    "store": store,
                    "max_results": max_results,
                    "mode": mode,
                    "alpha": alpha,
                    "recency_bias": recency_bias,
                    "min_similarity": min_similarity,
                    "metadata_filters": metadata_filters,
                    "search_forceful_relations": search_forceful_relations,
                    "graph_context": graph_context,
                    "additional_context": additional_context,
                    "as_of": as_of,
                    "neighbors": neighbors,
                    "tenant_id": tenant_id,
                },
                timeout,
            )
        )

    def erase(
        self,
        end_user_id: str,
        *,
        validate_only: bool = False,
        reason: c.ErasureReasonInput | None = None,
        ticket: str = "",
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.EraseResponse:
        """Erases a whole person and answers a signed receipt. An unknown person is OK with zero
        counts. Work in flight on the person is ABORTED, ERASED. WRITER.

        end_user_id: The person, 1–256 bytes without control characters. Empty: INVALID_ARGUMENT;
            the tenant's default is not used here.
        validate_only: Only count; nothing is touched, audited or signed. Default false.
        reason: Why; default USER_REQUEST.
        ticket: The caller's ticket, [A-Za-z0-9._-]{0,64}, kept in the receipt; anything else:
            INVALID_ARGUMENT. It outlives the person: it must not name them.
        """
        return run(
            self._calls.unary(
                c.ERASE,
                {
                    "end_user_id": end_user_id,
                    "validate_only": validate_only,
                    "reason": reason,
                    "ticket": ticket,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def get_memory(
        self,
        end_user_id: str = "",
        *,
        source_id: str,
        store: c.StoreInput | None = None,
        tenant_id: str = "",
        timeout: float | None = None,
    ) -> m.GetMemoryResponse:
        """Answers one memory, or NOT_FOUND. READER.

        end_user_id: The person, 1–256 bytes without control characters; empty = the tenant's
            default_end_user_id, INVALID_ARGUMENT if it has none. Must be empty for store KNOWLEDGE.
        source_id: The memory; unknown in this scope: NOT_FOUND.
        store: Where it is kept; default MEMORIES, ALL is INVALID_ARGUMENT.
        """
        return run(
            self._calls.unary(
                c.GET_MEMORY,
                {
                    "end_user_id": end_user_id,
                    "source_id": source_id,
                    "store": store,
                    "tenant_id": tenant_id,
                },
                timeout,
            )
        )

    def list_memories(
        self,
        end_user_id: str = "",
        *,
        store: c.StoreInput | None = None,
        kind: c.MemoryKindInput | None = None,
        session_id: str = "",
        channel: str = "",
        start_time: TimeInput | None = None,
        end_time: TimeInput | None = None,
        metadata_filters: StructInput | None = None,
        tenant_id: str = "",
        page_size: int = 0,
        page_token: str = "",
        timeout: float | None = None,
    ) -> Pager[m.Memory, m.ListMemoriesResponse]:
        """Lists memories, the latest accepted first. READER.

        end_user_id: The person, 1–256 bytes without control characters; empty = the tenant's
            default_end_user_id, INVALID_ARGUMENT if it has none. Must be empty for store KNOWLEDGE.
        store: Where they are kept; default MEMORIES, ALL is INVALID_ARGUMENT.
        kind: Only of this kind; UNSPECIFIED = all.
        session_id: Only of this conversation; empty = all.
        channel: Only from this channel; empty = all.
        start_time: Only with occurred_at from this time on (included); unset = from the beginning.
        end_time: Only with occurred_at before this time (excluded); unset = no end. Not after
            start_time: INVALID_ARGUMENT.
        metadata_filters: Only memories that match, in the language of
            RecallRequest.metadata_filters.
        """
        return Pager(
            self._calls,
            c.LIST_MEMORIES,
            {
                "end_user_id": end_user_id,
                "store": store,
                "kind": kind,
                "session_id": session_id,
                "channel": channel,
                "start_time": start_time,
                "end_time": end_time,
                "metadata_filters": metadata_filters,
                "tenant_id": tenant_id,
                "page_size": page_size,
                "page_token": page_token,
            },
            lambda page: page.memories,
            timeout,
        )

    def update_memory(
        self,
        end_user_id: str = "",
        *,
        source_id: str,
        title: str | None = None,
        text: str | None = None,
        metadata: StructInput | None = None,
        additional_metadata: StructInput | None = None,
        pinned: bool | None = None,
        update_mask: FieldMaskInput | None = None,
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.UpdateMemoryResponse:
        """Changes a memory about a person under the same id; NOT_FOUND if there is none. A new text
        is indexed again, the old one is served until then. WRITER.

        end_user_id: The person, 1–256 bytes without control characters. Empty = the tenant's
            default_end_user_id; INVALID_ARGUMENT if it has none.
        source_id: The memory; unknown in this scope: NOT_FOUND.
        title: The new title, at most 512 bytes.
        text: The new text, not blank, at most 1 MiB.
        metadata: The new values of the tenant's metadata_schema, as a whole, at most 16 KiB as
            JSON; unset under the mask = none.
        additional_metadata: The new free metadata, as a whole, at most 16 KiB as JSON; unset under
            the mask = none.
        pinned: Whether retention must leave it alone.
        update_mask: The fields to change: title, text, metadata, additional_metadata, pinned;
            anything else, a path below them included: INVALID_ARGUMENT. Empty = the fields that are
            set, none: INVALID_ARGUMENT.
        """
        return run(
            self._calls.unary(
                c.UPDATE_MEMORY,
                {
                    "end_user_id": end_user_id,
                    "source_id": source_id,
                    "title": title,
                    "text": text,
                    "metadata": metadata,
                    "additional_metadata": additional_metadata,
                    "pinned": pinned,
                    "update_mask": update_mask,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def delete_memory(
        self,
        end_user_id: str,
        *,
        source_id: str,
        allow_missing: bool = False,
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.DeleteMemoryResponse:
        """Deletes one memory about a person with what was derived from it, triggers included.
        WRITER.

        end_user_id: The person, 1–256 bytes without control characters. Empty: INVALID_ARGUMENT;
            the tenant's default is not used here.
        source_id: The memory; unknown in this scope: NOT_FOUND unless allow_missing.
        allow_missing: Answer OK with deleted_count 0 instead of NOT_FOUND when there is no such
            thing. Default false.
        """
        return run(
            self._calls.unary(
                c.DELETE_MEMORY,
                {
                    "end_user_id": end_user_id,
                    "source_id": source_id,
                    "allow_missing": allow_missing,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def list_messages(
        self,
        end_user_id: str = "",
        *,
        order: c.ListOrderInput | None = None,
        channel: str = "",
        session_id: str = "",
        start_time: TimeInput | None = None,
        end_time: TimeInput | None = None,
        tenant_id: str = "",
        page_size: int = 0,
        page_token: str = "",
        timeout: float | None = None,
    ) -> Pager[m.Message, m.ListMessagesResponse]:
        """Lists the messages of a person's conversations. READER.

        end_user_id: The person, 1–256 bytes without control characters. Empty = the tenant's
            default_end_user_id; INVALID_ARGUMENT if it has none.
        order: The order by occurred_at; default NEWEST.
        channel: Only from this channel; empty = all.
        session_id: Only of this conversation; empty = all.
        start_time: Only from this time on (included); unset = from the beginning.
        end_time: Only before this time (excluded); unset = no end. Not after start_time:
            INVALID_ARGUMENT.
        """
        return Pager(
            self._calls,
            c.LIST_MESSAGES,
            {
                "end_user_id": end_user_id,
                "order": order,
                "channel": channel,
                "session_id": session_id,
                "start_time": start_time,
                "end_time": end_time,
                "tenant_id": tenant_id,
                "page_size": page_size,
                "page_token": page_token,
            },
            lambda page: page.messages,
            timeout,
        )

    def import_memories(
        self,
        end_user_id: str = "",
        *,
        memories: Iterable[c.MemoryItemInput],
        upsert: bool | None = None,
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.ImportMemoriesResponse:
        """Adds any number of memories: one `header`, then `memory` after `memory`. Any other order
        is INVALID_ARGUMENT. WRITER.

        end_user_id: The person, 1–256 bytes without control characters. Empty = the tenant's
            default_end_user_id; INVALID_ARGUMENT if it has none.
        memories: The memories to add, any number, read as they are sent.
        upsert: Replace what exists under the same source_id; default true. False: such an item is
            ALREADY_EXISTS.
        """
        return run(
            self._calls.upload(
                c.IMPORT_MEMORIES,
                {
                    "end_user_id": end_user_id,
                    "upsert": upsert,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                memories,
                timeout,
            )
        )

    def export_end_user(
        self,
        end_user_id: str,
        *,
        tenant_id: str = "",
        timeout: float | None = None,
    ) -> Stream[m.ExportEndUserResponse]:
        """Streams all that is kept about a person, one JSON object per record. An unknown person is
        NOT_FOUND. WRITER.

        end_user_id: The person, 1–256 bytes without control characters. Empty: INVALID_ARGUMENT;
            the tenant's default is not used here.
        """
        return Stream(
            self._calls,
            c.EXPORT_END_USER,
            {
                "end_user_id": end_user_id,
                "tenant_id": tenant_id,
            },
            timeout,
        )

    def watch_end_user(
        self,
        end_user_id: str = "",
        *,
        tenant_id: str = "",
        timeout: float | None = None,
    ) -> Stream[m.WatchEndUserResponse]:
        """Streams how things stand with a person, then what changes, until the caller leaves, for
        an hour at most (DEADLINE_EXCEEDED: call again). Every interaction and event comes once,
        in order; of the relation and of a memory's indexing a slow reader gets the latest. Ends
        with ABORTED, ERASED when the person is erased, NOT_FOUND when the tenant is deleted,
        UNAUTHENTICATED when the key is revoked; above 512 watchers of one server
        RESOURCE_EXHAUSTED. READER.

        end_user_id: The person, 1–256 bytes without control characters. Empty = the tenant's
            default_end_user_id; INVALID_ARGUMENT if it has none.
        """
        return Stream(
            self._calls,
            c.WATCH_END_USER,
            {
                "end_user_id": end_user_id,
                "tenant_id": tenant_id,
            },
            timeout,
        )

    def get_relation(
        self,
        end_user_id: str = "",
        *,
        tenant_id: str = "",
        timeout: float | None = None,
    ) -> m.GetRelationResponse:
        """Answers the relational state, decayed to now; an unknown person's is a stranger's.
        READER.

        end_user_id: The person, 1–256 bytes without control characters. Empty = the tenant's
            default_end_user_id; INVALID_ARGUMENT if it has none.
        """
        return run(
            self._calls.unary(
                c.GET_RELATION,
                {
                    "end_user_id": end_user_id,
                    "tenant_id": tenant_id,
                },
                timeout,
            )
        )

    def list_relation_history(
        self,
        end_user_id: str = "",
        *,
        order: c.ListOrderInput | None = None,
        tenant_id: str = "",
        page_size: int = 0,
        page_token: str = "",
        timeout: float | None = None,
    ) -> Pager[m.RelationPoint, m.ListRelationHistoryResponse]:
        """Lists the state after each interaction and event. READER.

        end_user_id: The person, 1–256 bytes without control characters. Empty = the tenant's
            default_end_user_id; INVALID_ARGUMENT if it has none.
        order: The order in which the points were stored; default NEWEST, the latest first.
        """
        return Pager(
            self._calls,
            c.LIST_RELATION_HISTORY,
            {
                "end_user_id": end_user_id,
                "order": order,
                "tenant_id": tenant_id,
                "page_size": page_size,
                "page_token": page_token,
            },
            lambda page: page.points,
            timeout,
        )

    def record_event(
        self,
        end_user_id: str = "",
        *,
        event: c.RelationEventInput,
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.RecordEventResponse:
        """Applies one event to the state. Not an interaction: nothing but the event moves. WRITER.

        end_user_id: The person, 1–256 bytes without control characters. Empty = the tenant's
            default_end_user_id; INVALID_ARGUMENT if it has none.
        event: What happened; unset: INVALID_ARGUMENT.
        """
        return run(
            self._calls.unary(
                c.RECORD_EVENT,
                {
                    "end_user_id": end_user_id,
                    "event": event,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def list_person_relations(
        self,
        end_user_id: str,
        *,
        tenant_id: str = "",
        page_size: int = 0,
        page_token: str = "",
        timeout: float | None = None,
    ) -> Pager[m.PersonRelation, m.ListPersonRelationsResponse]:
        """Lists the people in a person's life, by name. READER.

        end_user_id: The person, 1–256 bytes without control characters. Empty: INVALID_ARGUMENT;
            the tenant's default is not used here.
        """
        return Pager(
            self._calls,
            c.LIST_PERSON_RELATIONS,
            {
                "end_user_id": end_user_id,
                "tenant_id": tenant_id,
                "page_size": page_size,
                "page_token": page_token,
            },
            lambda page: page.person_relations,
            timeout,
        )

    def upsert_person_relation(
        self,
        end_user_id: str,
        *,
        person_relation: c.PersonRelationInput,
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.UpsertPersonRelationResponse:
        """Makes or replaces one of them. A person who never began is NOT_FOUND; over 1,000 of one
        person: INVALID_ARGUMENT. WRITER.

        end_user_id: The person, 1–256 bytes without control characters. Empty: INVALID_ARGUMENT;
            the tenant's default is not used here.
        person_relation: The whole record; unset: INVALID_ARGUMENT. What exists under its id is
            replaced.
        """
        return run(
            self._calls.unary(
                c.UPSERT_PERSON_RELATION,
                {
                    "end_user_id": end_user_id,
                    "person_relation": person_relation,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def delete_person_relation(
        self,
        end_user_id: str,
        *,
        person_relation_id: str,
        allow_missing: bool = False,
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.DeletePersonRelationResponse:
        """Deletes one of them. WRITER.

        end_user_id: The person, 1–256 bytes without control characters. Empty: INVALID_ARGUMENT;
            the tenant's default is not used here.
        person_relation_id: The record; unknown for this person: NOT_FOUND unless allow_missing.
        allow_missing: Answer OK with deleted_count 0 instead of NOT_FOUND when there is no such
            thing. Default false.
        """
        return run(
            self._calls.unary(
                c.DELETE_PERSON_RELATION,
                {
                    "end_user_id": end_user_id,
                    "person_relation_id": person_relation_id,
                    "allow_missing": allow_missing,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def list_triggers(
        self,
        end_user_id: str = "",
        *,
        tenant_id: str = "",
        page_size: int = 0,
        page_token: str = "",
        timeout: float | None = None,
    ) -> Pager[m.Trigger, m.ListTriggersResponse]:
        """Lists a person's triggers, done ones included, the earliest due first. READER.

        end_user_id: The person, 1–256 bytes without control characters. Empty = the tenant's
            default_end_user_id; INVALID_ARGUMENT if it has none.
        """
        return Pager(
            self._calls,
            c.LIST_TRIGGERS,
            {
                "end_user_id": end_user_id,
                "tenant_id": tenant_id,
                "page_size": page_size,
                "page_token": page_token,
            },
            lambda page: page.triggers,
            timeout,
        )

    def upsert_trigger(
        self,
        end_user_id: str = "",
        *,
        trigger: c.TriggerInput,
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.UpsertTriggerResponse:
        """Makes or replaces a trigger. A person who never began is NOT_FOUND; over 1,000 of one
        person, done ones included: INVALID_ARGUMENT. WRITER.

        end_user_id: The person, 1–256 bytes without control characters. Empty = the tenant's
            default_end_user_id; INVALID_ARGUMENT if it has none.
        trigger: The whole trigger; unset: INVALID_ARGUMENT. What exists under its id is replaced.
        """
        return run(
            self._calls.unary(
                c.UPSERT_TRIGGER,
                {
                    "end_user_id": end_user_id,
                    "trigger": trigger,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def delete_trigger(
        self,
        end_user_id: str,
        *,
        trigger_id: str,
        allow_missing: bool = False,
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.DeleteTriggerResponse:
        """Deletes a trigger. WRITER.

        end_user_id: The person, 1–256 bytes without control characters. Empty: INVALID_ARGUMENT;
            the tenant's default is not used here.
        trigger_id: The trigger; unknown for this person: NOT_FOUND unless allow_missing.
        allow_missing: Answer OK with deleted_count 0 instead of NOT_FOUND when there is no such
            thing. Default false.
        """
        return run(
            self._calls.unary(
                c.DELETE_TRIGGER,
                {
                    "end_user_id": end_user_id,
                    "trigger_id": trigger_id,
                    "allow_missing": allow_missing,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def set_assignments(
        self,
        end_user_id: str = "",
        *,
        assignments: Sequence[str],
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.SetAssignmentsResponse:
        """Sets which staff or agents a person is assigned to; replaces the whole set. A person who
        never began is NOT_FOUND. WRITER.

        end_user_id: The person, 1–256 bytes without control characters. Empty = the tenant's
            default_end_user_id; INVALID_ARGUMENT if it has none.
        assignments: The staff or agents, opaque ids of 1–256 bytes, at most 100; empty = to nobody.
            Twice the same counts once.
        """
        return run(
            self._calls.unary(
                c.SET_ASSIGNMENTS,
                {
                    "end_user_id": end_user_id,
                    "assignments": assignments,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def add_knowledge(
        self,
        *,
        memories: Sequence[c.MemoryItemInput],
        upsert: bool | None = None,
        wait: DurationInput | None = None,
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.AddKnowledgeResponse:
        """Stores documents and indexes them in the background. A bad item fails alone. WRITER.

        memories: The documents, 1–1,000; none or more: INVALID_ARGUMENT. What is about a person
            (infer, user_name, speaker, user_assistant_pairs) makes the item INVALID_ARGUMENT. Of
            two with the same source_id the later wins and the earlier's result is
            SUPERSEDED_IN_CALL.
        upsert: Replace what exists under the same source_id; default true. False: such an item is
            ALREADY_EXISTS.
        wait: Wait until all are COMPLETED or ERRORED, at most this long; unset or 0 = do not wait,
            negative or over 60 s: INVALID_ARGUMENT.
        """
        return run(
            self._calls.unary(
                c.ADD_KNOWLEDGE,
                {
                    "memories": memories,
                    "upsert": upsert,
                    "wait": wait,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def list_knowledge(
        self,
        *,
        tenant_id: str = "",
        page_size: int = 0,
        page_token: str = "",
        timeout: float | None = None,
    ) -> Pager[m.Memory, m.ListKnowledgeResponse]:
        """Lists documents, the latest accepted first. READER."""
        return Pager(
            self._calls,
            c.LIST_KNOWLEDGE,
            {
                "tenant_id": tenant_id,
                "page_size": page_size,
                "page_token": page_token,
            },
            lambda page: page.knowledge,
            timeout,
        )

    def delete_knowledge(
        self,
        *,
        source_id: str,
        allow_missing: bool = False,
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.DeleteKnowledgeResponse:
        """Deletes one document. WRITER.

        source_id: The document; unknown: NOT_FOUND unless allow_missing.
        allow_missing: Answer OK with deleted_count 0 instead of NOT_FOUND when there is no such
            thing. Default false.
        """
        return run(
            self._calls.unary(
                c.DELETE_KNOWLEDGE,
                {
                    "source_id": source_id,
                    "allow_missing": allow_missing,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def create_tenant(
        self,
        tenant_id: str,
        *,
        plan: c.PlanInput | None = None,
        metadata_schema: Sequence[c.MetadataFieldInput] = (),
        default_end_user_id: str = "",
        initial_trust: float = 0.0,
        infer_default: bool = False,
        allow_llm: bool = False,
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.CreateTenantResponse:
        """Makes a tenant; an existing id is ALREADY_EXISTS. OPERATOR.

        tenant_id: Its id, 1–256 bytes without control characters; empty: INVALID_ARGUMENT.
        plan: How much is retained; default ENTERPRISE.
        metadata_schema: The keys that memories' `metadata` may have, at most 64; default none.
        default_end_user_id: The person meant by an empty end_user_id, at most 256 bytes; empty =
            none.
        initial_trust: The trust a stranger starts with, 0–1, default 0; outside or not finite:
            INVALID_ARGUMENT.
        infer_default: Whether statements are derived when a call does not say. Default false.
        allow_llm: Whether text may go to a language model. Default false: no text leaves the
            machine.
        """
        return run(
            self._calls.unary(
                c.CREATE_TENANT,
                {
                    "tenant_id": tenant_id,
                    "plan": plan,
                    "metadata_schema": metadata_schema,
                    "default_end_user_id": default_end_user_id,
                    "initial_trust": initial_trust,
                    "infer_default": infer_default,
                    "allow_llm": allow_llm,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def get_tenant(
        self,
        tenant_id: str = "",
        *,
        timeout: float | None = None,
    ) -> m.GetTenantResponse:
        """Answers a tenant with the state of its stores; unknown: NOT_FOUND. OPERATOR.

        tenant_id: The tenant; empty = the credential's. Another's: PERMISSION_DENIED. An operator
            key must name one, else INVALID_ARGUMENT.
        """
        return run(
            self._calls.unary(
                c.GET_TENANT,
                {
                    "tenant_id": tenant_id,
                },
                timeout,
            )
        )

    def list_tenants(
        self,
        *,
        tenant_id: str = "",
        page_size: int = 0,
        page_token: str = "",
        timeout: float | None = None,
    ) -> Pager[m.Tenant, m.ListTenantsResponse]:
        """Lists all tenants, by id. OPERATOR."""
        return Pager(
            self._calls,
            c.LIST_TENANTS,
            {
                "tenant_id": tenant_id,
                "page_size": page_size,
                "page_token": page_token,
            },
            lambda page: page.tenants,
            timeout,
        )

    def update_tenant(
        self,
        tenant_id: str = "",
        *,
        plan: c.PlanInput | None = None,
        metadata_schema: Sequence[c.MetadataFieldInput] = (),
        default_end_user_id: str | None = None,
        initial_trust: float | None = None,
        infer_default: bool | None = None,
        allow_llm: bool | None = None,
        update_mask: FieldMaskInput | None = None,
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.UpdateTenantResponse:
        """Changes a tenant; unknown: NOT_FOUND. OPERATOR.

        tenant_id: The tenant; empty = the credential's. Another's: PERMISSION_DENIED. An operator
            key must name one, else INVALID_ARGUMENT.
        plan: How much is retained from the next sweep on; UNSPECIFIED under the mask = ENTERPRISE.
        metadata_schema: The whole new schema, at most 64 fields. A field that stays must keep its
            type: otherwise FAILED_PRECONDITION.
        default_end_user_id: The person meant by an empty end_user_id, at most 256 bytes; empty =
            none.
        initial_trust: The trust a stranger starts with, 0–1; outside or not finite:
            INVALID_ARGUMENT. Known people keep theirs.
        infer_default: Whether statements are derived when a call does not say.
        allow_llm: Whether text may go to a language model.
        update_mask: The fields to change: plan, metadata_schema, default_end_user_id,
            initial_trust, infer_default, allow_llm; anything else: INVALID_ARGUMENT. Empty = the
            fields that are set, none: INVALID_ARGUMENT.
        """
        return run(
            self._calls.unary(
                c.UPDATE_TENANT,
                {
                    "tenant_id": tenant_id,
                    "plan": plan,
                    "metadata_schema": metadata_schema,
                    "default_end_user_id": default_end_user_id,
                    "initial_trust": initial_trust,
                    "infer_default": infer_default,
                    "allow_llm": allow_llm,
                    "update_mask": update_mask,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def delete_tenant(
        self,
        tenant_id: str,
        *,
        allow_missing: bool = False,
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.DeleteTenantResponse:
        """Erases every person of a tenant, its documents, keys and itself; receipts and audit rows
        stay. OPERATOR.

        tenant_id: The tenant; empty: INVALID_ARGUMENT, unknown: NOT_FOUND unless allow_missing.
        allow_missing: Answer OK with deleted_count 0 instead of NOT_FOUND when there is no such
            tenant. Default false.
        """
        return run(
            self._calls.unary(
                c.DELETE_TENANT,
                {
                    "tenant_id": tenant_id,
                    "allow_missing": allow_missing,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def list_end_users(
        self,
        *,
        assignment: str = "",
        tenant_id: str = "",
        page_size: int = 0,
        page_token: str = "",
        timeout: float | None = None,
    ) -> Pager[m.EndUser, m.ListEndUsersResponse]:
        """Lists the people of a tenant, by id. READER.

        assignment: Only those assigned to this member of staff or agent; empty = all.
        """
        return Pager(
            self._calls,
            c.LIST_END_USERS,
            {
                "assignment": assignment,
                "tenant_id": tenant_id,
                "page_size": page_size,
                "page_token": page_token,
            },
            lambda page: page.end_users,
            timeout,
        )

    def create_api_key(
        self,
        *,
        role: c.ApiKeyRoleInput,
        expire_time: TimeInput | None = None,
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.CreateApiKeyResponse:
        """Makes a key and shows its secret this once. OPERATOR.

        role: What it may do; UNSPECIFIED is INVALID_ARGUMENT.
        expire_time: From when on it is refused; unset = never, in the past: INVALID_ARGUMENT.
        """
        return run(
            self._calls.unary(
                c.CREATE_API_KEY,
                {
                    "role": role,
                    "expire_time": expire_time,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def list_api_keys(
        self,
        *,
        tenant_id: str = "",
        page_size: int = 0,
        page_token: str = "",
        timeout: float | None = None,
    ) -> Pager[m.ApiKey, m.ListApiKeysResponse]:
        """Lists a tenant's keys in the order of their ids, revoked and expired ones included.
        OPERATOR.
        """
        return Pager(
            self._calls,
            c.LIST_API_KEYS,
            {
                "tenant_id": tenant_id,
                "page_size": page_size,
                "page_token": page_token,
            },
            lambda page: page.api_keys,
            timeout,
        )

    def revoke_api_key(
        self,
        *,
        key_id: str,
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.RevokeApiKeyResponse:
        """Revokes a key for ever; revoking it again changes nothing. Unknown: NOT_FOUND. OPERATOR.

        key_id: The key; empty: INVALID_ARGUMENT, unknown in this tenant: NOT_FOUND.
        """
        return run(
            self._calls.unary(
                c.REVOKE_API_KEY,
                {
                    "key_id": key_id,
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def list_queue(
        self,
        *,
        tenant_id: str = "",
        page_size: int = 0,
        page_token: str = "",
        timeout: float | None = None,
    ) -> Pager[m.QueueItem, m.ListQueueResponse]:
        """Lists what is queued, in a worker's hands, or ERRORED, the longest waiting first.
        AUDITOR.
        """
        return Pager(
            self._calls,
            c.LIST_QUEUE,
            {
                "tenant_id": tenant_id,
                "page_size": page_size,
                "page_token": page_token,
            },
            lambda page: page.queue,
            timeout,
        )

    def run_sweep(
        self,
        *,
        tenant_id: str = "",
        request_id: str = "",
        timeout: float | None = None,
    ) -> m.RunSweepResponse:
        """Removes now what is expired or over the plan's retention, instead of at the next sweep.
        OPERATOR.
        """
        return run(
            self._calls.unary(
                c.RUN_SWEEP,
                {
                    "tenant_id": tenant_id,
                    "request_id": request_id,
                },
                timeout,
            )
        )

    def list_audit_events(
        self,
        *,
        kind: c.AuditEventKindInput | None = None,
        start_time: TimeInput | None = None,
        end_time: TimeInput | None = None,
        order: c.ListOrderInput | None = None,
        tenant_id: str = "",
        page_size: int = 0,
        page_token: str = "",
        timeout: float | None = None,
    ) -> Pager[m.AuditEvent, m.ListAuditEventsResponse]:
        """Lists audit events. AUDITOR.

        kind: Only of this kind; UNSPECIFIED = all.
        start_time: Only from this time on (included); unset = from the beginning.
        end_time: Only before this time (excluded); unset = no end. Not after start_time:
            INVALID_ARGUMENT.
        order: The order by sequence; default NEWEST.
        """
        return Pager(
            self._calls,
            c.LIST_AUDIT_EVENTS,
            {
                "kind": kind,
                "start_time": start_time,
                "end_time": end_time,
                "order": order,
                "tenant_id": tenant_id,
                "page_size": page_size,
                "page_token": page_token,
            },
            lambda page: page.audit_events,
            timeout,
        )

    def verify_audit_log(
        self,
        *,
        tenant_id: str = "",
        timeout: float | None = None,
    ) -> m.VerifyAuditLogResponse:
        """Recomputes the hash chain of a tenant's whole log. A broken one is OK with `ok` false.
        AUDITOR.
        """
        return run(
            self._calls.unary(
                c.VERIFY_AUDIT_LOG,
                {
                    "tenant_id": tenant_id,
                },
                timeout,
            )
        )

    def get_erasure_receipt(
        self,
        *,
        receipt_id: str,
        tenant_id: str = "",
        timeout: float | None = None,
    ) -> m.GetErasureReceiptResponse:
        """Answers a receipt; once nothing is pending, the completed and newly signed one. Unknown:
        NOT_FOUND. AUDITOR.

        receipt_id: The receipt, as Erase or an audit event named it; empty: INVALID_ARGUMENT.
        """
        return run(
            self._calls.unary(
                c.GET_ERASURE_RECEIPT,
                {
                    "receipt_id": receipt_id,
                    "tenant_id": tenant_id,
                },
                timeout,
            )
        )

    def get_signing_keys(
        self,
        *,
        tenant_id: str = "",
        timeout: float | None = None,
    ) -> m.GetSigningKeysResponse:
        """Answers the public keys that receipts can be checked with. AUDITOR."""
        return run(
            self._calls.unary(
                c.GET_SIGNING_KEYS,
                {
                    "tenant_id": tenant_id,
                },
                timeout,
            )
        )
