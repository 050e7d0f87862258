"""Deleting a tenant ends however busy its writers are, and leaves nobody behind."""

import threading

import pytest

from rapport import Client, RapportError
from tests.fix_rapport import TenantHandle


def write_until_refused(tenant: TenantHandle, number: int, codes: list[str]) -> None:
    with Client(tenant.server.address, api_key=tenant.key, max_attempts=1) as client:
        try:
            for turn in range(10_000):
                try:
                    client.add_memory(f"p{number}", memories=[f"Fact {turn} of {number}."])
                except RapportError as error:
                    if error.reason != "ERASED":  # fenced off, and then it begins anew
                        raise
        except RapportError as error:
            codes.append(error.code)


def test_a_tenant_is_deleted_while_its_writers_write(tenant: TenantHandle) -> None:
    codes: list[str] = []
    writers = [
        threading.Thread(target=write_until_refused, args=(tenant, number, codes))
        for number in range(6)
    ]
    for writer in writers:
        writer.start()
    while len(list(tenant.operator.list_end_users())) < 6:
        pass
    answer = tenant.operator.delete_tenant(tenant.tenant_id)
    for writer in writers:
        writer.join()
    assert (answer.deleted_count, answer.end_users_erased) == (1, 6)
    assert set(codes) <= {"NOT_FOUND", "UNAUTHENTICATED"}
    tenant.operator.create_tenant(tenant.tenant_id)
    assert list(tenant.operator.list_end_users()) == []
    assert tenant.operator.verify_audit_log().ok


def test_deleting_a_tenant_that_is_gone_says_so(tenant: TenantHandle) -> None:
    tenant.operator.delete_tenant(tenant.tenant_id)
    with pytest.raises(RapportError) as refused:
        tenant.operator.delete_tenant(tenant.tenant_id)
    assert refused.value.reason == "NOT_FOUND"
    assert tenant.operator.delete_tenant(tenant.tenant_id, allow_missing=True).deleted_count == 0
