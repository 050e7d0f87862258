"""The lists of the contract with their keys; the store documents the same keys."""

from datetime import datetime

from rapport_server.domain.audit import AuditEvent
from rapport_server.domain.memories import Memory, QueueItem
from rapport_server.domain.people import Message, Person
from rapport_server.domain.person_relations import PersonRelation
from rapport_server.domain.relation import RelationPoint
from rapport_server.domain.tenants import ApiKey, Tenant
from rapport_server.domain.triggers import Trigger
from rapport_server.rpc.paging import Listing

# A memory holds up to 1 MiB of text, a message 32 KiB: one query must not fill the server's memory.
MEMORIES: Listing[Memory] = Listing("memories", lambda row: (row.version,), (int,), rows_max=32)
MESSAGES: Listing[Message] = Listing(
    "messages", lambda row: (row.occurred_at, row.message_id), (datetime, int), rows_max=256
)
PERSON_RELATIONS: Listing[PersonRelation] = Listing(
    "person_relations", lambda row: (row.name, row.person_relation_id), (str, str)
)
TRIGGERS: Listing[Trigger] = Listing(
    "triggers", lambda row: (row.due_at, row.trigger_id), (datetime, str)
)
POINTS: Listing[RelationPoint] = Listing("points", lambda row: (row.point_id,), (int,))
PEOPLE: Listing[tuple[Person, int]] = Listing(
    "end_users", lambda row: (row[0].end_user_id,), (str,)
)
TENANTS: Listing[Tenant] = Listing("tenants", lambda row: (row.tenant_id,), (str,))
API_KEYS: Listing[ApiKey] = Listing("api_keys", lambda row: (row.key_id,), (str,))
QUEUE: Listing[QueueItem] = Listing("queue", lambda row: (row.version,), (int,))
AUDIT_EVENTS: Listing[AuditEvent] = Listing("audit_events", lambda row: (row.sequence,), (int,))
