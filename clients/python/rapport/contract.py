"""The RPCs, and what may be given for their fields. Generated from proto/rapport/v1 by `make generate`; not edited by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias, TypedDict

from rapport import messages as m
from rapport.requests import StructInput, TimeInput
from rapport.rpc import Rpc
from rapport.v1 import (
    audit_service_pb2,
    knowledge_service_pb2,
    memory_service_pb2,
    relation_service_pb2,
    tenant_service_pb2,
)

IntentInput: TypeAlias = "m.Intent | Literal['GREETING', 'FAREWELL', 'GRATITUDE', 'INFORMATION_REQUEST', 'TASK_REQUEST', 'SMALL_TALK', 'COMPLAINT', 'FEEDBACK', 'CORRECTION', 'EMOTIONAL_SUPPORT', 'MEMORY_REQUEST', 'CRISIS']"
AnalysisOriginInput: TypeAlias = (
    "m.AnalysisOrigin | Literal['NONE', 'LOCAL', 'LLM', 'CALLER', 'MIXED']"
)
AuditEventKindInput: TypeAlias = "m.AuditEventKind | Literal['TENANT_CREATED', 'TENANT_UPDATED', 'TENANT_DELETED', 'API_KEY_CREATED', 'API_KEY_REVOKED', 'INTERACTION_PROCESSED', 'REPLY_ATTACHED', 'MEMORIES_ADDED', 'MEMORY_UPDATED', 'MEMORY_DELETED', 'MEMORIES_RETRIED', 'EVENT_RECORDED', 'END_USER_ERASED', 'ERASURE_COMPLETED', 'RETENTION_SWEPT', 'END_USER_EXPORTED', 'PERSON_RELATION_CHANGED', 'TRIGGER_CHANGED', 'ASSIGNMENTS_SET', 'KNOWLEDGE_ADDED', 'KNOWLEDGE_DELETED']"
ErasureReasonInput: TypeAlias = (
    "m.ErasureReason | Literal['USER_REQUEST', 'RETENTION', 'LEGAL', 'OTHER']"
)
ListOrderInput: TypeAlias = "m.ListOrder | Literal['NEWEST', 'OLDEST']"
StoreInput: TypeAlias = "m.Store | Literal['MEMORIES', 'KNOWLEDGE', 'ALL']"
MemoryKindInput: TypeAlias = "m.MemoryKind | Literal['INTERACTION', 'ADDED', 'DERIVED']"
MessageRoleInput: TypeAlias = "m.MessageRole | Literal['USER', 'ASSISTANT']"
RecallModeInput: TypeAlias = "m.RecallMode | Literal['FAST', 'THINKING']"
RelationEventKindInput: TypeAlias = (
    "m.RelationEventKind | Literal['BROKEN_PROMISE', 'KEPT_PROMISE']"
)
PlanInput: TypeAlias = "m.Plan | Literal['COMMUNITY', 'CLINIC', 'ENTERPRISE']"
MetadataTypeInput: TypeAlias = "m.MetadataType | Literal['STRING', 'NUMBER', 'BOOL', 'TIMESTAMP']"
ApiKeyRoleInput: TypeAlias = "m.ApiKeyRole | Literal['OPERATOR', 'WRITER', 'READER', 'AUDITOR']"


class DetectedEmotionDict(TypedDict, total=False):
    """One emotion found in a message."""

    label: str
    score: float


DetectedEmotionInput: TypeAlias = "m.DetectedEmotion | DetectedEmotionDict"


class SignalsDict(TypedDict, total=False):
    """The caller's own reading of a message. A set field overrides the server's reading of that
    field.
    """

    detected_emotions: Sequence[DetectedEmotionInput]
    intent: IntentInput
    mood_delta: float
    shouting: bool
    crisis: bool
    crisis_phrase: str


SignalsInput: TypeAlias = "m.Signals | SignalsDict"


class UserAssistantPairDict(TypedDict, total=False):
    """One exchange of a conversation to remember."""

    user: str
    assistant: str


UserAssistantPairInput: TypeAlias = "m.UserAssistantPair | UserAssistantPairDict"


class MemoryRelationsDict(TypedDict, total=False):
    """Relations that a memory is given by its writer ("forceful" ones)."""

    source_ids: Sequence[str]
    properties: StructInput
    allow_unresolved: bool


MemoryRelationsInput: TypeAlias = "m.MemoryRelations | MemoryRelationsDict"


class MemoryItemDict(TypedDict, total=False):
    """Something to remember. Exactly one of `text` and `user_assistant_pairs` is given; both or
    none is INVALID_ARGUMENT for this item, as is every bad field below: the other items are not
    touched.
    """

    source_id: str
    text: str
    user_assistant_pairs: Sequence[UserAssistantPairInput]
    is_markdown: bool
    infer: bool
    custom_instructions: str
    user_name: str
    speaker: str
    title: str
    expiry_time: int
    metadata: StructInput
    additional_metadata: StructInput
    pinned: bool
    relations: MemoryRelationsInput
    occurred_at: TimeInput
    channel: str
    session_id: str
    time_zone: str


MemoryItemInput: TypeAlias = "m.MemoryItem | MemoryItemDict | str"


class ConversationTurnDict(TypedDict, total=False):
    """One turn of a conversation, for a prompt."""

    role: MessageRoleInput
    content: str


ConversationTurnInput: TypeAlias = "m.ConversationTurn | ConversationTurnDict"


class RecallOptionsDict(TypedDict, total=False):
    """How Process recalls."""

    top_k: int
    min_similarity: float
    mode: RecallModeInput


RecallOptionsInput: TypeAlias = "m.RecallOptions | RecallOptionsDict"


class RelationEventDict(TypedDict, total=False):
    """One event to apply to the relational state."""

    kind: RelationEventKindInput
    note: str
    occurred_at: TimeInput


RelationEventInput: TypeAlias = "m.RelationEvent | RelationEventDict"


class PersonRelationDict(TypedDict, total=False):
    """Another person in the life of the end user, told by the caller or read from what the end user
    says. What is read moves sentiment and last_mentioned; the name, kind and note of an upsert
    stay as given.
    """

    person_relation_id: str
    name: str
    kind: str
    sentiment: float
    note: str
    last_mentioned: TimeInput


PersonRelationInput: TypeAlias = "m.PersonRelation | PersonRelationDict"


class TriggerDict(TypedDict, total=False):
    """Something to come back to with this person at a given time, told by the caller or read from a
    memory. It is deleted with the memory that it names; a new text of that memory deletes what
    was read from the old one. What the caller upserted or deleted stays so when the memory is
    read again.
    """

    trigger_id: str
    description: str
    due_at: TimeInput
    origin: AnalysisOriginInput
    source_id: str
    done: bool


TriggerInput: TypeAlias = "m.Trigger | TriggerDict"


class MetadataFieldDict(TypedDict, total=False):
    """One key that the `metadata` of this tenant's memories may have."""

    name: str
    type: MetadataTypeInput
    enable_match: bool


MetadataFieldInput: TypeAlias = "m.MetadataField | MetadataFieldDict"
PROCESS = Rpc(
    "/rapport.v1.MemoryService/Process",
    memory_service_pb2.ProcessRequest,
    memory_service_pb2.ProcessResponse,
    mutating=True,
)
PROCESS_STREAM = Rpc(
    "/rapport.v1.MemoryService/ProcessStream",
    memory_service_pb2.ProcessStreamRequest,
    memory_service_pb2.ProcessStreamResponse,
    mutating=True,
)
ATTACH_REPLY = Rpc(
    "/rapport.v1.MemoryService/AttachReply",
    memory_service_pb2.AttachReplyRequest,
    memory_service_pb2.AttachReplyResponse,
    mutating=True,
)
ADD_MEMORY = Rpc(
    "/rapport.v1.MemoryService/AddMemory",
    memory_service_pb2.AddMemoryRequest,
    memory_service_pb2.AddMemoryResponse,
    mutating=True,
    waits=True,
)
VERIFY_PROCESSING = Rpc(
    "/rapport.v1.MemoryService/VerifyProcessing",
    memory_service_pb2.VerifyProcessingRequest,
    memory_service_pb2.VerifyProcessingResponse,
)
WATCH_PROCESSING = Rpc(
    "/rapport.v1.MemoryService/WatchProcessing",
    memory_service_pb2.WatchProcessingRequest,
    memory_service_pb2.WatchProcessingResponse,
)
RETRY_PROCESSING = Rpc(
    "/rapport.v1.MemoryService/RetryProcessing",
    memory_service_pb2.RetryProcessingRequest,
    memory_service_pb2.RetryProcessingResponse,
    mutating=True,
)
RECALL = Rpc(
    "/rapport.v1.MemoryService/Recall",
    memory_service_pb2.RecallRequest,
    memory_service_pb2.RecallResponse,
)
ERASE = Rpc(
    "/rapport.v1.MemoryService/Erase",
    memory_service_pb2.EraseRequest,
    memory_service_pb2.EraseResponse,
    mutating=True,
)
GET_MEMORY = Rpc(
    "/rapport.v1.MemoryService/GetMemory",
    memory_service_pb2.GetMemoryRequest,
    memory_service_pb2.GetMemoryResponse,
)
LIST_MEMORIES = Rpc(
    "/rapport.v1.MemoryService/ListMemories",
    memory_service_pb2.ListMemoriesRequest,
    memory_service_pb2.ListMemoriesResponse,
)
UPDATE_MEMORY = Rpc(
    "/rapport.v1.MemoryService/UpdateMemory",
    memory_service_pb2.UpdateMemoryRequest,
    memory_service_pb2.UpdateMemoryResponse,
    mutating=True,
)
DELETE_MEMORY = Rpc(
    "/rapport.v1.MemoryService/DeleteMemory",
    memory_service_pb2.DeleteMemoryRequest,
    memory_service_pb2.DeleteMemoryResponse,
    mutating=True,
)
LIST_MESSAGES = Rpc(
    "/rapport.v1.MemoryService/ListMessages",
    memory_service_pb2.ListMessagesRequest,
    memory_service_pb2.ListMessagesResponse,
)
IMPORT_MEMORIES = Rpc(
    "/rapport.v1.MemoryService/ImportMemories",
    memory_service_pb2.ImportMemoriesRequest,
    memory_service_pb2.ImportMemoriesResponse,
    mutating=True,
)
EXPORT_END_USER = Rpc(
    "/rapport.v1.MemoryService/ExportEndUser",
    memory_service_pb2.ExportEndUserRequest,
    memory_service_pb2.ExportEndUserResponse,
)
WATCH_END_USER = Rpc(
    "/rapport.v1.MemoryService/WatchEndUser",
    memory_service_pb2.WatchEndUserRequest,
    memory_service_pb2.WatchEndUserResponse,
)
GET_RELATION = Rpc(
    "/rapport.v1.RelationService/GetRelation",
    relation_service_pb2.GetRelationRequest,
    relation_service_pb2.GetRelationResponse,
)
LIST_RELATION_HISTORY = Rpc(
    "/rapport.v1.RelationService/ListRelationHistory",
    relation_service_pb2.ListRelationHistoryRequest,
    relation_service_pb2.ListRelationHistoryResponse,
)
RECORD_EVENT = Rpc(
    "/rapport.v1.RelationService/RecordEvent",
    relation_service_pb2.RecordEventRequest,
    relation_service_pb2.RecordEventResponse,
    mutating=True,
)
LIST_PERSON_RELATIONS = Rpc(
    "/rapport.v1.RelationService/ListPersonRelations",
    relation_service_pb2.ListPersonRelationsRequest,
    relation_service_pb2.ListPersonRelationsResponse,
)
UPSERT_PERSON_RELATION = Rpc(
    "/rapport.v1.RelationService/UpsertPersonRelation",
    relation_service_pb2.UpsertPersonRelationRequest,
    relation_service_pb2.UpsertPersonRelationResponse,
    mutating=True,
)
DELETE_PERSON_RELATION = Rpc(
    "/rapport.v1.RelationService/DeletePersonRelation",
    relation_service_pb2.DeletePersonRelationRequest,
    relation_service_pb2.DeletePersonRelationResponse,
    mutating=True,
)
LIST_TRIGGERS = Rpc(
    "/rapport.v1.RelationService/ListTriggers",
    relation_service_pb2.ListTriggersRequest,
    relation_service_pb2.ListTriggersResponse,
)
UPSERT_TRIGGER = Rpc(
    "/rapport.v1.RelationService/UpsertTrigger",
    relation_service_pb2.UpsertTriggerRequest,
    relation_service_pb2.UpsertTriggerResponse,
    mutating=True,
)
DELETE_TRIGGER = Rpc(
    "/rapport.v1.RelationService/DeleteTrigger",
    relation_service_pb2.DeleteTriggerRequest,
    relation_service_pb2.DeleteTriggerResponse,
    mutating=True,
)
SET_ASSIGNMENTS = Rpc(
    "/rapport.v1.RelationService/SetAssignments",
    relation_service_pb2.SetAssignmentsRequest,
    relation_service_pb2.SetAssignmentsResponse,
    mutating=True,
)
ADD_KNOWLEDGE = Rpc(
    "/rapport.v1.KnowledgeService/AddKnowledge",
    knowledge_service_pb2.AddKnowledgeRequest,
    knowledge_service_pb2.AddKnowledgeResponse,
    mutating=True,
    waits=True,
)
LIST_KNOWLEDGE = Rpc(
    "/rapport.v1.KnowledgeService/ListKnowledge",
    knowledge_service_pb2.ListKnowledgeRequest,
    knowledge_service_pb2.ListKnowledgeResponse,
)
DELETE_KNOWLEDGE = Rpc(
    "/rapport.v1.KnowledgeService/DeleteKnowledge",
    knowledge_service_pb2.DeleteKnowledgeRequest,
    knowledge_service_pb2.DeleteKnowledgeResponse,
    mutating=True,
)
CREATE_TENANT = Rpc(
    "/rapport.v1.TenantService/CreateTenant",
    tenant_service_pb2.CreateTenantRequest,
    tenant_service_pb2.CreateTenantResponse,
    mutating=True,
    scoped=False,
)
GET_TENANT = Rpc(
    "/rapport.v1.TenantService/GetTenant",
    tenant_service_pb2.GetTenantRequest,
    tenant_service_pb2.GetTenantResponse,
)
LIST_TENANTS = Rpc(
    "/rapport.v1.TenantService/ListTenants",
    tenant_service_pb2.ListTenantsRequest,
    tenant_service_pb2.ListTenantsResponse,
    scoped=False,
)
UPDATE_TENANT = Rpc(
    "/rapport.v1.TenantService/UpdateTenant",
    tenant_service_pb2.UpdateTenantRequest,
    tenant_service_pb2.UpdateTenantResponse,
    mutating=True,
)
DELETE_TENANT = Rpc(
    "/rapport.v1.TenantService/DeleteTenant",
    tenant_service_pb2.DeleteTenantRequest,
    tenant_service_pb2.DeleteTenantResponse,
    mutating=True,
    scoped=False,
)
LIST_END_USERS = Rpc(
    "/rapport.v1.TenantService/ListEndUsers",
    tenant_service_pb2.ListEndUsersRequest,
    tenant_service_pb2.ListEndUsersResponse,
)
CREATE_API_KEY = Rpc(
    "/rapport.v1.TenantService/CreateApiKey",
    tenant_service_pb2.CreateApiKeyRequest,
    tenant_service_pb2.CreateApiKeyResponse,
    mutating=True,
)
LIST_API_KEYS = Rpc(
    "/rapport.v1.TenantService/ListApiKeys",
    tenant_service_pb2.ListApiKeysRequest,
    tenant_service_pb2.ListApiKeysResponse,
)
REVOKE_API_KEY = Rpc(
    "/rapport.v1.TenantService/RevokeApiKey",
    tenant_service_pb2.RevokeApiKeyRequest,
    tenant_service_pb2.RevokeApiKeyResponse,
    mutating=True,
)
LIST_QUEUE = Rpc(
    "/rapport.v1.TenantService/ListQueue",
    tenant_service_pb2.ListQueueRequest,
    tenant_service_pb2.ListQueueResponse,
)
RUN_SWEEP = Rpc(
    "/rapport.v1.TenantService/RunSweep",
    tenant_service_pb2.RunSweepRequest,
    tenant_service_pb2.RunSweepResponse,
    mutating=True,
)
LIST_AUDIT_EVENTS = Rpc(
    "/rapport.v1.AuditService/ListAuditEvents",
    audit_service_pb2.ListAuditEventsRequest,
    audit_service_pb2.ListAuditEventsResponse,
)
VERIFY_AUDIT_LOG = Rpc(
    "/rapport.v1.AuditService/VerifyAuditLog",
    audit_service_pb2.VerifyAuditLogRequest,
    audit_service_pb2.VerifyAuditLogResponse,
)
GET_ERASURE_RECEIPT = Rpc(
    "/rapport.v1.AuditService/GetErasureReceipt",
    audit_service_pb2.GetErasureReceiptRequest,
    audit_service_pb2.GetErasureReceiptResponse,
)
GET_SIGNING_KEYS = Rpc(
    "/rapport.v1.AuditService/GetSigningKeys",
    audit_service_pb2.GetSigningKeysRequest,
    audit_service_pb2.GetSigningKeysResponse,
)
