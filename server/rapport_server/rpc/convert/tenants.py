"""Tenants, their keys and their queue."""

from collections.abc import Mapping

from rapport.v1 import tenant_pb2
from rapport_server.commands.add_memory import ItemFault
from rapport_server.domain.memories import IndexingStatus, QueueItem, Store
from rapport_server.domain.tenants import ApiKey, StoreStatus, Tenant
from rapport_server.rpc.convert.enums import (
    API_KEY_ROLE,
    INDEXING_STATUS,
    METADATA_TYPE,
    PLAN,
    STORED_IN,
)
from rapport_server.rpc.convert.memory import item_error
from rapport_server.rpc.convert.times import to_timestamp


def tenant(given: Tenant, status: Mapping[Store, StoreStatus] | None = None) -> tenant_pb2.Tenant:
    """A tenant's settings, with how its stores stand if that is given."""
    return tenant_pb2.Tenant(
        tenant_id=given.tenant_id,
        plan=PLAN.to(given.plan),
        metadata_schema=[
            tenant_pb2.MetadataField(
                name=field.name,
                type=METADATA_TYPE.to(field.type),
                enable_match=field.enable_match,
            )
            for field in given.metadata_schema
        ],
        default_end_user_id=given.default_end_user_id,
        initial_trust=given.initial_trust,
        infer_default=given.infer_default,
        allow_llm=given.allow_llm,
        create_time=to_timestamp(given.create_time),
        update_time=to_timestamp(given.update_time),
        vectorstore_status=[_store(store, held) for store, held in (status or {}).items()],
    )


def _store(store: Store, held: StoreStatus) -> tenant_pb2.VectorstoreStatus:
    return tenant_pb2.VectorstoreStatus(
        store=STORED_IN.to(store),
        ready=True,  # a server that is not ready answers no call
        memories=held.memories,
        chunks=held.chunks,
        bytes=held.bytes,
        queued=held.queued,
    )


def api_key(given: ApiKey) -> tenant_pb2.ApiKey:
    """A key without its secret."""
    return tenant_pb2.ApiKey(
        key_id=given.key_id,
        role=API_KEY_ROLE.to(given.role),
        tenant_id=given.tenant_id,
        create_time=to_timestamp(given.create_time),
        expire_time=to_timestamp(given.expire_time),
        revoked=given.revoked,
    )


def queue_item(given: QueueItem) -> tenant_pb2.QueueItem:
    """A memory that is not indexed yet, or failed."""
    failed = given.status is IndexingStatus.ERRORED and given.error_reason
    return tenant_pb2.QueueItem(
        source_id=given.source_id,
        end_user_id=given.end_user_id,
        status=INDEXING_STATUS.to(given.status),
        attempts=given.attempts,
        age_seconds=given.age_s,
        error=item_error(ItemFault(given.error_reason, given.error_message) if failed else None),
        store=STORED_IN.to(Store.MEMORIES if given.end_user_id else Store.KNOWLEDGE),
    )
