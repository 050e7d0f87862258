"""All commands of a server, wired once by the composition root."""

from dataclasses import dataclass

from rapport_server.commands.add_memory import AddMemory
from rapport_server.commands.api_keys import ApiKeys
from rapport_server.commands.attach_reply import AttachReply
from rapport_server.commands.authenticate import Authenticate
from rapport_server.commands.delete_memory import DeleteMemory
from rapport_server.commands.delete_tenant import DeleteTenant
from rapport_server.commands.erase import Erase
from rapport_server.commands.person_relations import PersonRelations
from rapport_server.commands.process import Process
from rapport_server.commands.processing import Processing
from rapport_server.commands.reads import AuditReads, Reads
from rapport_server.commands.recall import Recall
from rapport_server.commands.record_event import RecordEvent
from rapport_server.commands.reply import Reply
from rapport_server.commands.run_sweep import RunSweep
from rapport_server.commands.set_assignments import SetAssignments
from rapport_server.commands.tenant_directory import TenantDirectory
from rapport_server.commands.tenants import Tenants
from rapport_server.commands.triggers import Triggers
from rapport_server.commands.update_memory import UpdateMemory
from rapport_server.commands.watch_end_user import WatchEndUser


@dataclass(frozen=True, slots=True)
class Commands:
    """What the RPCs call."""

    process: Process
    reply: Reply
    attach_reply: AttachReply
    add_memory: AddMemory
    processing: Processing
    recall: Recall
    update_memory: UpdateMemory
    watch_end_user: WatchEndUser
    delete_memory: DeleteMemory
    reads: Reads
    record_event: RecordEvent
    person_relations: PersonRelations
    triggers: Triggers
    set_assignments: SetAssignments
    erase: Erase
    tenants: Tenants
    delete_tenant: DeleteTenant
    api_keys: ApiKeys
    audit: AuditReads
    authenticate: Authenticate
    tenant_directory: TenantDirectory
    run_sweep: RunSweep
