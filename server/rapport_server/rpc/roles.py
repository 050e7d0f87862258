"""Which roles may call which RPC: one line for every RPC of the contract."""

from rapport_server.domain.tenants import ApiKeyRole

_OPERATOR = frozenset({ApiKeyRole.OPERATOR})
_WRITER = _OPERATOR | {ApiKeyRole.WRITER}
_READER = _WRITER | {ApiKeyRole.READER}
_AUDITOR = _OPERATOR | {ApiKeyRole.AUDITOR}

_MEMORY = {
    "Process": _WRITER,
    "ProcessStream": _WRITER,
    "AttachReply": _WRITER,
    "AddMemory": _WRITER,
    "VerifyProcessing": _READER,
    "WatchProcessing": _READER,
    "RetryProcessing": _WRITER,
    "Recall": _READER,
    "Erase": _WRITER,
    "GetMemory": _READER,
    "ListMemories": _READER,
    "UpdateMemory": _WRITER,
    "DeleteMemory": _WRITER,
    "ListMessages": _READER,
    "ImportMemories": _WRITER,
    "ExportEndUser": _WRITER,
    "WatchEndUser": _READER,
}
_RELATION = {
    "GetRelation": _READER,
    "ListRelationHistory": _READER,
    "RecordEvent": _WRITER,
    "ListPersonRelations": _READER,
    "UpsertPersonRelation": _WRITER,
    "DeletePersonRelation": _WRITER,
    "ListTriggers": _READER,
    "UpsertTrigger": _WRITER,
    "DeleteTrigger": _WRITER,
    "SetAssignments": _WRITER,
}
_KNOWLEDGE = {
    "AddKnowledge": _WRITER,
    "ListKnowledge": _READER,
    "DeleteKnowledge": _WRITER,
}
_TENANT = {
    "CreateTenant": _OPERATOR,
    "GetTenant": _OPERATOR,
    "ListTenants": _OPERATOR,
    "UpdateTenant": _OPERATOR,
    "DeleteTenant": _OPERATOR,
    "ListEndUsers": _READER,
    "CreateApiKey": _OPERATOR,
    "ListApiKeys": _OPERATOR,
    "RevokeApiKey": _OPERATOR,
    "ListQueue": _AUDITOR,
    "RunSweep": _OPERATOR,
}
_AUDIT = {
    "ListAuditEvents": _AUDITOR,
    "VerifyAuditLog": _AUDITOR,
    "GetErasureReceipt": _AUDITOR,
    "GetSigningKeys": _AUDITOR,
}
_SERVICES = {
    "MemoryService": _MEMORY,
    "RelationService": _RELATION,
    "KnowledgeService": _KNOWLEDGE,
    "TenantService": _TENANT,
    "AuditService": _AUDIT,
}

# By full path, `/rapport.v1.MemoryService/Recall`.
ROLES: dict[str, frozenset[ApiKeyRole]] = {
    f"/rapport.v1.{service}/{rpc}": roles
    for service, rpcs in _SERVICES.items()
    for rpc, roles in rpcs.items()
}
