"""From a filter to SQL on table memory under the alias `m`.

Keys and operands travel as parameters only; the text of the SQL is made of the parts below and nothing else.
"""

from dataclasses import dataclass, field
from typing import Any

from psycopg import sql

from rapport_server.domain.filters import Condition, Filter, Operator, Source
from rapport_server.domain.tenants import MetadataType
from rapport_server.store.memory_rows import as_jsonb

# Equality also finds the empty string; for everything else it is absent.
_COLUMNS = {
    "channel": (sql.SQL("m.channel"), sql.SQL("nullif(m.channel, '')")),
    "session_id": (sql.SQL("m.session_id"), sql.SQL("nullif(m.session_id, '')")),
    "intent": (sql.SQL("m.intent"), sql.SQL("nullif(m.intent, '')")),
    "kind": (sql.SQL("m.kind"), sql.SQL("m.kind")),
    "occurred_at": (sql.SQL("m.occurred_at"), sql.SQL("m.occurred_at")),
}
_OBJECTS = {
    Source.METADATA: sql.SQL("m.metadata"),
    Source.ADDITIONAL: sql.SQL("m.additional_metadata"),
}
_JSON_VALUE = sql.SQL("nullif({object} -> {key}, 'null'::jsonb)")
# What was stored before its field was declared a timestamp may be anything: it counts as absent.
_JSON_TIME = sql.SQL(
    "(CASE WHEN {object} ->> {key} ~ '^[0-9]{{4}}-[0-9][0-9]-[0-9][0-9][Tt]'"
    " AND pg_input_is_valid({object} ->> {key}, 'timestamp with time zone')"
    " THEN ({object} ->> {key})::timestamptz END)"
)
_LABELS = sql.SQL(
    "ARRAY(SELECT item ->> 'label' FROM jsonb_array_elements(m.detected_emotions) AS item)"
)

_SETS = {
    Operator.EQ: sql.SQL("coalesce({value} = {operand}, false)"),
    Operator.NE: sql.SQL("{value} IS DISTINCT FROM {operand}"),
    Operator.IN: sql.SQL("coalesce({value} = ANY ({operand}), false)"),
    Operator.NIN: sql.SQL("coalesce({value} <> ALL ({operand}), true)"),
}
_ORDERS = {
    Operator.GT: sql.SQL("coalesce({present} > {operand}, false)"),
    Operator.GTE: sql.SQL("coalesce({present} >= {operand}, false)"),
    Operator.LT: sql.SQL("coalesce({present} < {operand}, false)"),
    Operator.LTE: sql.SQL("coalesce({present} <= {operand}, false)"),
}
_TESTS = _SETS | _ORDERS | {Operator.EXISTS: sql.SQL("({present} IS NOT NULL) = {operand}")}
_LABEL_TESTS = {
    Operator.EQ: sql.SQL("{operand} = ANY ({value})"),
    Operator.NE: sql.SQL("{operand} <> ALL ({value})"),
    Operator.IN: sql.SQL("{value} && {operand}"),
    Operator.NIN: sql.SQL("NOT {value} && {operand}"),
    Operator.EXISTS: sql.SQL("(cardinality({value}) > 0) = {operand}"),
}
# Postgres has an order among JSON types too, which is not asked for.
_SAME_TYPE = sql.SQL("({test} AND jsonb_typeof({present}) = jsonb_typeof({operand}))")
_TYPES = {
    "text": (sql.SQL("{}::text"), sql.SQL("{}::text[]")),
    "timestamptz": (sql.SQL("{}::timestamptz"), sql.SQL("{}::timestamptz[]")),
    "jsonb": (sql.SQL("{}::jsonb"), sql.SQL("{}::jsonb[]")),
    "boolean": (sql.SQL("{}::boolean"), sql.SQL("{}::boolean[]")),
}


@dataclass(slots=True)
class _Parameters:
    """Operands by the names that stand for them in the statement."""

    values: dict[str, Any] = field(default_factory=dict)

    def add(self, value: Any, sql_type: str) -> sql.Composed:
        name = f"filter_{len(self.values)}"
        self.values[name] = value
        return _TYPES[sql_type][isinstance(value, list)].format(sql.Placeholder(name))


def filter_sql(wanted: Filter | None) -> tuple[sql.Composable, dict[str, Any]]:
    """A boolean expression that is never NULL, and its parameters by name; no filter and no conditions are true."""
    if wanted is None or not wanted.conditions:
        return sql.SQL("true"), {}
    parameters = _Parameters()
    tests = [_test(condition, parameters) for condition in wanted.conditions]
    return sql.SQL(" AND ").join(tests), parameters.values


def _test(condition: Condition, parameters: _Parameters) -> sql.Composable:
    operator = condition.operator
    if condition.source is Source.RESERVED and condition.key == "detected_emotions":
        operand = parameters.add(*_operand(condition, "text"))
        return _LABEL_TESTS[operator].format(value=_LABELS, operand=operand)
    value, present, sql_type = _value(condition, parameters)
    operand = parameters.add(*_operand(condition, sql_type))
    test = _TESTS[operator].format(value=value, present=present, operand=operand)
    if sql_type == "jsonb" and operator in _ORDERS:
        return _SAME_TYPE.format(test=test, present=present, operand=operand)
    return test


def _value(
    condition: Condition, parameters: _Parameters
) -> tuple[sql.Composable, sql.Composable, str]:
    """The value for equality, the value that is NULL when absent, and its type."""
    if condition.source is Source.RESERVED:
        sql_type = "timestamptz" if condition.type is MetadataType.TIMESTAMP else "text"
        return *_COLUMNS[condition.key], sql_type
    timed = condition.type is MetadataType.TIMESTAMP
    value = (_JSON_TIME if timed else _JSON_VALUE).format(
        object=_OBJECTS[condition.source], key=parameters.add(condition.key, "text")
    )
    return value, value, "timestamptz" if timed else "jsonb"


def _operand(condition: Condition, sql_type: str) -> tuple[Any, str]:
    """The operand as a parameter, a list where it has several values, and the parameter's type."""
    operand = condition.operand
    if condition.operator is Operator.EXISTS:
        return operand, "boolean"
    wrap = as_jsonb if sql_type == "jsonb" else lambda scalar: scalar
    if isinstance(operand, tuple):
        return [wrap(one) for one in operand], sql_type
    return wrap(operand), sql_type
