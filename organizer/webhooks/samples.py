"""What a supplier's engineer copies: code that signs, and vectors to compare with. The secret itself is in neither."""

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings
from django.utils.translation import gettext as _

from organizer.connections import vault
from organizer.webhooks.models import Auth, Delivery, VendorSecret
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


def again(delivery: Delivery, body: str) -> str:
    """It once more, for a shell; of the signature only where it belongs."""
    vendor = delivery.vendor
    named = {"Content-Type": delivery.content_type, delivery.id_header: delivery.delivery_id or ""}
    if vendor.auth == Auth.HMAC:
        named[vendor.signature_header] = "<signature>"
    headers = [shlex.quote(f"{name}: {value}") for name, value in named.items() if name and value]
    address = f"{settings.PUBLIC_URL}/api/webhooks/{vendor.key}"
    lines = [f"curl -sS {address}", *(f"-H {one}" for one in headers), f"--data-binary {shlex.quote(body)}"]
    return " \\\n  ".join(lines)


def vectors(secret: VendorSecret) -> Sequence[Vector]:
    """By the supplier's own secret. Of these bodies only: what any body's signature would be is said to nobody."""
    opened = vault.opened(secret)
    return [Vector(body or _("(nothing)"), signatures.sign(body.encode(), opened)) for body in VECTORS]
