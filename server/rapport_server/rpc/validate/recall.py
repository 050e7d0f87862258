"""RecallRequest and the filters that lists share with it."""

from google.protobuf.struct_pb2 import Struct

from rapport.v1.memory_service_pb2 import RecallRequest
from rapport_server.commands.recall import RecallQuery
from rapport_server.domain.filters import Filter, parse_filter
from rapport_server.domain.limits import (
    HINT_BYTES_MAX,
    NEIGHBORS_MAX,
    QUERY_BYTES_MAX,
    RESULTS_MAX,
)
from rapport_server.domain.tenants import Tenant
from rapport_server.errors import InvalidArgument
from rapport_server.rpc.convert.enums import RECALL_MODE, Mode
from rapport_server.rpc.validate import json
from rapport_server.rpc.validate.check import Check
from rapport_server.rpc.validate.person import stored_scope

MAX_RESULTS_DEFAULT = 10
FILTERS_BYTES_MAX = 288 * 1024  # one list of 1,000 ids of the longest sort fits


def recall_query(check: Check, request: RecallRequest, tenant: Tenant) -> RecallQuery:
    """What to search for."""
    _not_yet(check, request)
    max_results = MAX_RESULTS_DEFAULT
    if request.max_results:
        max_results = check.integer("max_results", request.max_results, 1, RESULTS_MAX)
    floor = None
    if request.HasField("min_similarity"):
        floor = check.number("min_similarity", request.min_similarity, -1, 1)
    return RecallQuery(
        stored_scope(check, request, tenant, all_stores=True),
        check.text("query", request.query, QUERY_BYTES_MAX, required=True),
        max_results,
        floor,
        filters(check, request.metadata_filters, tenant),
    )


def filters(check: Check, given: Struct, tenant: Tenant) -> Filter | None:
    """The parsed `metadata_filters`; None when there are none."""
    if not given.fields:
        return None
    before = len(check.violations)
    raw = json.plain(check, "metadata_filters", given, FILTERS_BYTES_MAX)
    if len(check.violations) > before:
        return None
    try:
        return parse_filter(raw, tenant.metadata_schema)
    except InvalidArgument as error:
        check.violations.extend(error.violations)
        return None


def _not_yet(check: Check, request: RecallRequest) -> None:
    """What is more than one pass by meaning."""
    mode = RECALL_MODE.of(check, "mode", request.mode)
    check.not_yet("mode", mode is Mode.THINKING)
    if request.HasField("alpha"):
        alpha = check.number("alpha", request.alpha, 0, 1)
        check.not_yet("alpha", alpha < 1)
    check.number("recency_bias", request.recency_bias, 0, 1)
    check.not_yet("recency_bias", request.recency_bias > 0)
    check.not_yet("graph_context", request.graph_context)
    check.text("additional_context", request.additional_context, HINT_BYTES_MAX)
    check.not_yet("additional_context", bool(request.additional_context))
    if request.HasField("as_of"):
        check.time("as_of", request.as_of)
        check.not_yet("as_of", True)
    check.integer("neighbors", request.neighbors, 0, NEIGHBORS_MAX)
    check.not_yet("neighbors", request.neighbors > 0)
