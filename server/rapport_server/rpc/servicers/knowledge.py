"""KnowledgeService: in the contract, not yet in this version."""

from rapport.v1.knowledge_service_pb2_grpc import KnowledgeServiceServicer


class KnowledgeRpcs(KnowledgeServiceServicer):
    """A tenant's documents. Every call answers UNIMPLEMENTED, as the codec sees to."""
