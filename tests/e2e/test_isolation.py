"""No path shows one tenant's or one person's data to another."""

import itertools
import random

from tests.e2e.scene import add, refused, sentences, texts, together, wait_for
from tests.fix_rapport import TenantHandle

WEIRD = ["a", "A", "a-b", "a/b", "a%", "../a", "_", "a\u0301", "á", "a b", "🙂" * 64, "x" * 256]


def everything(client, end_user_id: str) -> list[str]:
    """All texts that any read path shows of a person."""
    shown = [memory.text for memory in client.list_memories(end_user_id)]
    shown += [message.text for message in client.list_messages(end_user_id)]
    shown += texts(client, end_user_id, "The code word", max_results=1000)
    shown += texts(client, end_user_id, "x", metadata_filters={"session_id": "s"}, max_results=1000)
    answer = client.recall(end_user_id, query="The code word", max_results=1000)
    assert {hit.end_user_id for hit in answer.results} <= {end_user_id}
    return shown


def test_ids_are_opaque_for_every_path_and_erase_takes_one_alone(tenant: TenantHandle):
    client = tenant.client
    secrets = {
        end_user_id: f"The code word is {word}."
        for end_user_id, word in zip(WEIRD, sentences(len(WEIRD)), strict=True)
    }
    for end_user_id, secret in secrets.items():
        add(client, end_user_id, {"source_id": end_user_id, "text": secret, "session_id": "s"})
        client.process(end_user_id, message=f"I say: {secret}", session_id="s")
    for end_user_id, secret in secrets.items():
        shown = everything(client, end_user_id)
        assert len(shown) == 7
        assert all(secret in text for text in shown), end_user_id
        statuses = client.verify_processing(end_user_id, source_ids=WEIRD).statuses
        assert [s.source_id for s in statuses if s.success] == [end_user_id]
        for other in set(WEIRD[:6]) - {end_user_id}:
            with refused("NOT_FOUND"):
                client.get_memory(end_user_id, source_id=other)
            with refused("NOT_FOUND"):
                client.delete_memory(end_user_id, source_id=other)
            with refused("NOT_FOUND"):
                client.update_memory(end_user_id, source_id=other, title="mine")
    listed = {user.end_user_id: user for user in tenant.operator.list_end_users()}
    assert set(listed) == set(WEIRD)
    assert all(user.total_stored == 2 for user in listed.values())
    left = dict(secrets)
    for end_user_id in ("a", "a%", "../a", "_"):
        counts = client.erase(end_user_id).receipt.counts
        assert (counts.messages, counts.memories, counts.relation_state) == (1, 2, 2)
        del left[end_user_id]
        assert everything(client, end_user_id) == []
        for other, secret in left.items():
            shown = everything(client, other)
            assert len(shown) == 7
            assert all(secret in text for text in shown)


def test_tenant_ids_are_opaque_too(make_tenant):
    base = f"acme-{random.Random().randrange(10**9)}"
    names = [base, f"{base}-corp", f"{base.upper()}", f"{base}%", f"../{base}", f"{base}/x"]
    tenants = [make_tenant(name) for name in names]
    for tenant in tenants:
        add(
            tenant.client,
            "maya",
            {"source_id": "s", "text": f"The code word of {tenant.tenant_id}."},
        )
    for tenant in tenants:
        assert texts(tenant.client, "maya", "code word") == [
            f"The code word of {tenant.tenant_id}."
        ]
        assert [user.end_user_id for user in tenant.operator.list_end_users()] == ["maya"]
    for one, other in itertools.permutations(tenants[:3], 2):
        with refused("PERMISSION_DENIED"):
            one.client.recall("maya", query="code word", tenant_id=other.tenant_id)
    with refused("PERMISSION_DENIED"):
        tenants[0].client.recall("maya", query="code word", tenant_id=f"{base}-nowhere")
    tenants[0].operator.delete_tenant(names[0])
    for tenant in tenants[1:]:
        assert texts(tenant.client, "maya", "code word") == [
            f"The code word of {tenant.tenant_id}."
        ]


def test_two_tenants_hammered_at_once_stay_apart(make_tenant):
    tenants = [make_tenant(), make_tenant()]
    own = [sentences(60, seed=100 + number) for number in range(2)]

    def work(job: int) -> None:
        side, number = job % 2, job // 2
        client, text = tenants[side].client, own[side][number]
        if number % 3:
            client.add_memory("maya", memories=[{"source_id": str(number), "text": text}])
        else:
            client.process("maya", message=text)
        shown = texts(client, "maya", own[1 - side][number], max_results=50)
        assert all(f"journal {100 + side}." in shown_text for shown_text in shown)

    together(16, work, 120)
    for side, tenant in enumerate(tenants):
        added = [str(number) for number in range(60) if number % 3]
        assert wait_for(tenant.client, "maya", added) == []
        stored = {
            memory.text.removeprefix("User: ") for memory in tenant.client.list_memories("maya")
        }
        assert stored == set(own[side])
        shown = texts(tenant.client, "maya", own[1 - side][0], max_results=1000)
        assert {text.removeprefix("User: ") for text in shown} == set(own[side])
        assert tenant.client.get_relation("maya").relation.interaction_count == 20


def test_a_memory_takes_no_place_among_another_persons_results(tenant: TenantHandle):
    add(tenant.client, "noor", *sentences(200))
    add(tenant.client, "maya", "The stove is out of order.")
    assert texts(tenant.client, "maya", sentences(200)[3], max_results=5) == [
        "The stove is out of order."
    ]
