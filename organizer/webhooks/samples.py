"""What a supplier's engineer copies: code that signs, and vectors to compare with. The secret itself is in neither."""

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote

from django.utils.translation import gettext as _

from organizer.connections import vault
from organizer.webhooks.models import Delivery, Proof, VendorSecret
from organizer.webhooks.receiver import signatures

BODY = '{"event": "order.accepted", "reference": "TEST-1"}'
VECTORS = (BODY, '{"reference":"TEST-2","note":"Łódź"}', "reference=TEST-3&event=ping", "")
_CURL = """body='{body}'
signature=$(printf '%s' "$body" | openssl dgst -sha256 -hmac "$WEBHOOK_SECRET" | sed 's/^.* //')
curl -sS {address} \\
  -H 'Content-Type: application/json' \\
  -H "{header}: $signature" \\
  -H "X-Webhook-Id: $(date +%s)-$$" \\
  --data-binary "$body"
"""
_PYTHON = """import hashlib, hmac, json, os, urllib.request, uuid

body = json.dumps({{"event": "order.accepted", "reference": "TEST-1"}}).encode()
secret = os.environ["WEBHOOK_SECRET"].encode()
request = urllib.request.Request(
    "{address}",
    data=body,  # the very bytes that were signed
    headers={{
        "Content-Type": "application/json",
        "{header}": hmac.new(secret, body, hashlib.sha256).hexdigest(),
        "X-Webhook-Id": str(uuid.uuid4()),
    }},
)
print(urllib.request.urlopen(request, timeout=10).read().decode())
"""
_NODE = """import {{ createHmac, randomUUID }} from "node:crypto";

const body = JSON.stringify({{ event: "order.accepted", reference: "TEST-1" }});
const signature = createHmac("sha256", process.env.WEBHOOK_SECRET).update(body).digest("hex");
const answer = await fetch("{address}", {{
  method: "POST",
  headers: {{
    "Content-Type": "application/json",
    "{header}": signature,
    "X-Webhook-Id": randomUUID(),
  }},
  body, // the very text that was signed
}});
console.log(answer.status, await answer.text());
"""
_PHP = """<?php
$body = json_encode(["event" => "order.accepted", "reference" => "TEST-1"]);
$signature = hash_hmac("sha256", $body, getenv("WEBHOOK_SECRET"));
$request = curl_init("{address}");
curl_setopt_array($request, [
    CURLOPT_POSTFIELDS => $body, // the very bytes that were signed
    CURLOPT_RETURNTRANSFER => true,
    CURLOPT_HTTPHEADER => [
        "Content-Type: application/json",
        "{header}: " . $signature,
        "X-Webhook-Id: " . bin2hex(random_bytes(16)),
    ],
]);
echo curl_exec($request);
"""
_UNSIGNED = """curl -sS {address} \\
  -H 'Content-Type: application/json' \\
  -H "X-Webhook-Id: $(date +%s)-$$" \\
  --data-binary '{body}'
"""


_AGAIN = """body={body}
curl -sS {address} \\
  -H {kind} \\{signature}{id}
  --data-binary "$body"
"""


@dataclass(frozen=True)
class Sample:
    name: str
    text: str


@dataclass(frozen=True)
class Vector:
    body: str
    signature: str


def samples(address: str, header: str) -> Sequence[Sample]:
    said = {"address": address, "header": header, "body": BODY}
    named = (("curl, openssl", _CURL), ("Python", _PYTHON), ("Node", _NODE), ("PHP", _PHP))
    return [Sample(name, text.format(**said)) for name, text in named]


def unsigned(address: str) -> Sequence[Sample]:
    return [Sample("curl", _UNSIGNED.format(address=address, body=BODY))]


def again(address: str, delivery: Delivery, body: str) -> str:
    """What was sent, to be sent by hand. Its id makes it a repetition; the signature is for who has the secret."""
    vendor = delivery.vendor
    signs, given = delivery.auth != Proof.IP, delivery.delivery_id
    return _AGAIN.format(
        body=quote(body),
        address=quote(address),
        kind=quote(f"Content-Type: {delivery.content_type or 'application/json'}"),
        signature=f'\n  -H "{vendor.signature_header}: $SIGNATURE" \\' if signs else "",
        id=f"\n  -H {quote(f'{delivery.id_header}: {given}')} \\" if given else "",
    )


def vectors(secret: VendorSecret) -> Sequence[Vector]:
    """By the supplier's own secret. Of these bodies only: what any body's signature would be is said to nobody."""
    opened = vault.opened(secret)
    return [Vector(body or _("(nothing)"), signatures.sign(body.encode(), opened)) for body in VECTORS]
