"""The bytes that an erasure receipt's signature covers."""

import json
from typing import Any

from rapport.messages import ErasureReceipt


def receipt_payload(receipt: ErasureReceipt) -> bytes:
    """The canonical JSON that `receipt.signature` (Ed25519, 64 bytes) was made over.

    Anyone can check a receipt with a public key of `get_signing_keys` and any Ed25519 library, such as that of
    the extra `verify`:

        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

        keys = {key.key_id: key.public_key for key in client.get_signing_keys().signing_keys}
        public_key = Ed25519PublicKey.from_public_bytes(keys[receipt.key_id])
        public_key.verify(receipt.signature, receipt_payload(receipt))  # raises InvalidSignature

    Raises ValueError for the receipt of a validate_only call, which nobody signs.
    """
    if not receipt.HasField("erased_at"):
        raise ValueError("a receipt without erased_at, as validate_only answers it, is not signed")
    body: dict[str, object] = {}
    for field in receipt.DESCRIPTOR.fields:
        if field.name != "signature":
            body[field.name] = _json_value(receipt, field)
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def _json_value(receipt: ErasureReceipt, field: Any) -> object:
    value = getattr(receipt, field.name)
    if field.name == "erased_at":
        return f"{receipt.erased_at.ToDatetime():%Y-%m-%dT%H:%M:%S.%fZ}"
    if field.name == "counts":
        return {count.name: getattr(value, count.name) for count in value.DESCRIPTOR.fields}
    if field.enum_type is not None:
        return field.enum_type.values_by_number[value].name
    return list(value) if field.is_repeated else value
