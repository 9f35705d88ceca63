"""What schemathesis needs to know of this service to get past the door (script/api-fuzz).

A generator that knows the schema alone asks for document 8123465 and is answered 404 all day. So there are documents,
templates, links, lists and deliveries here in every state, and half of the calls name them; half of the bodies that must
fit together (a start and its template, a PDF and its fields) begin from a sound one, of which parts are then replaced by
what the generator made up. Nothing is made easier for the server: the other half stays as generated.

Environment: API_FUZZ_BASE (the server), API_FUZZ_TOKEN (an owner's), API_FUZZ_PDF (a PDF to upload), API_FUZZ_TEMPLATE
(a template of one writer who dates and signs).
"""

import base64
import json
import os
import struct
import urllib.error
import urllib.request
import zlib
from pathlib import Path

import schemathesis
from hypothesis import strategies as st

BASE = os.environ["API_FUZZ_BASE"]
TOKEN = os.environ["API_FUZZ_TOKEN"]
TEMPLATE = int(os.environ["API_FUZZ_TEMPLATE"])
PDF = Path(os.environ["API_FUZZ_PDF"]).read_bytes()
# Nobody listens there: a delivery fails at once, and goes nowhere else.
HOOK = "http://127.0.0.1:9/hook"
# Enough that the calls which end a document do not use them up.
DOCUMENTS = 40


def call(method, path, body=None):
    """Asks the server as a client would; the set-up must succeed."""
    request = urllib.request.Request(
        BASE + path,
        None if body is None else json.dumps(body).encode(),
        {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"},
        method=method,
    )
    with urllib.request.urlopen(request) as response:
        return json.load(response)


def png():
    """A picture of one dark pixel, as a signature arrives."""

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0)
    data = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0\0\0\0")) + chunk(b"IEND", b"")
    return base64.b64encode(b"\x89PNG\r\n\x1a\n" + data).decode()


VALUES = [{"name": "date", "value": "2026-12-01"}, {"name": "signature", "value": png()}]
WRITER = {"order": 1, "name": "김민준", "email": "minjun@example.com"}
START = {
    "workflow_name": "Offer",
    "template_id": TEMPLATE,
    "recipient_list": [WRITER],
    "export_api_info": {"url": HOOK, "api_type": "ALL", "is_embed": True},
}
FIELDS = {
    "name": "Offer",
    "steps": [{"order": 1}],
    "fields": [
        {"name": "signature", "kind": "signature", "step": 1, "page": 1, "x": 100000, "y": 800000, "width": 300000, "height": 60000}
    ],
}
ROW = {"workflow_name": "Offer 1", "recipient_list": [WRITER]}


def documents():
    """Documents under way, and one in twelve in each of the states that end."""
    made = []
    for index in range(DOCUMENTS):
        workflow = call("POST", "/api/v3/workflows/start", START)["workflow_id"]
        made.append(workflow)
        if index % 12 == 0:
            call("POST", f"/api/v3/workflows/{workflow}/approve", {"field_list": VALUES})
        elif index % 12 == 1:
            call("POST", f"/api/v3/workflows/{workflow}/reject", {"comment": "no"})
        elif index % 12 == 2:
            call("POST", f"/api/v3/workflows/{workflow}/cancel", {"comment": "no"})
    return made


WORKFLOWS = documents()
TEMPLATES = [call("POST", f"/api/v3/templates/{TEMPLATE}/copy", {"name": f"Copy {copy}"})["template_id"] for copy in range(6)]
LINK = {"template_id": TEMPLATE, "workflow_name": "Visitors {date}"}
LINKS = [call("POST", "/api/v3/link/start", LINK)["link_id"] for _ in range(4)]
BULK = {"template_id": TEMPLATE, "workflow_list": [ROW]}
BULKS = [call("POST", "/api/v3/workflows/bulk", BULK)["bulk_id"] for _ in range(4)]
EXPORTS = [delivery["export_id"] for delivery in call("GET", "/api/v3/exports?limit=50")["export_list"]]

KNOWN = [
    ("/api/v3/workflows/bulk/{id}", "id", BULKS),
    ("/api/v3/workflows/{id}", "id", WORKFLOWS),
    ("/api/v3/templates/{id}", "id", TEMPLATES),
    ("/api/v3/link/{id}", "id", LINKS),
    ("/api/v3/exports/{id}", "id", EXPORTS),
]


@schemathesis.hook
def flatmap_path_parameters(context, path_parameters):
    """Half of the calls name what is there."""
    if path_parameters is None:
        return st.none()
    for path, name, known in KNOWN:
        if context.operation.path.startswith(path):
            named = {**path_parameters}
            if "order" in named:
                named["order"] = 1
            if "name" in named:
                named["name"] = "signature"
            return st.one_of(st.just(path_parameters), st.sampled_from(known).map(lambda one: {**named, name: one}))
    return st.just(path_parameters)


@schemathesis.hook
def flatmap_query(context, query):
    """The same for what a query names."""
    if not query or "template_id" not in query:
        return st.just(query)
    return st.sampled_from([query, {**query, "template_id": TEMPLATE, "field_name": "date"}])


def multipart(fields):
    return {"file": PDF, "fields": json.dumps(fields)}


SOUND = {
    ("post", "/api/v3/workflows/start"): START,
    ("post", "/api/v3/workflows/preview"): START,
    ("post", "/api/v3/workflows/bulk"): BULK,
    ("post", "/api/v3/link/start"): LINK,
    ("post", "/api/v3/exports/test"): {"url": HOOK},
    ("post", "/api/v3/exports/endpoints/start"): {"url": HOOK},
    ("post", "/api/v3/exports/resend"): {"workflow_id": WORKFLOWS[0]},
    ("post", "/api/v3/workflows/{id}/approve"): {"field_list": VALUES},
    ("post", "/api/v3/workflows/{id}/extend"): {"expiry_date": "2030-01-01 00:00:00"},
    ("patch", "/api/v3/workflows/{id}/recipients/{order}"): {"email": "seoyeon@example.com"},
    ("post", "/api/v3/templates"): multipart(FIELDS),
    ("put", "/api/v3/templates/{id}"): multipart(FIELDS),
    ("post", "/api/v3/workflows/send"): {
        **multipart(FIELDS),
        "start": json.dumps({"workflow_name": "Offer", "recipient_list": [WRITER]}),
    },
}


@schemathesis.hook
def flatmap_body(context, body):
    """Half of the bodies begin from a sound one, with some members as the generator made them."""
    operation = context.operation
    if operation.path == "/api/v3/verify":
        return st.one_of(st.just(body), st.just(PDF), st.integers(0, len(PDF)).map(lambda end: PDF[:end]))
    sound = SOUND.get((operation.method.lower(), operation.path))
    if sound is None or not isinstance(body, dict):
        return st.just(body)
    if operation.path == "/api/v3/workflows/bulk" and "file" in body:
        sound = {"file": b"workflow_name,1.name,1.email\nOffer,Kim,kim@example.com\n", "start": json.dumps({"template_id": TEMPLATE})}
    if not body:
        return st.sampled_from([body, sound])
    part = st.lists(st.sampled_from(sorted(body)), max_size=2, unique=True).map(lambda names: {**sound, **{name: body[name] for name in names}})
    return st.one_of(st.just(body), part)


@schemathesis.hook
def before_call(context, case, kwargs):
    """A test delivery goes to nobody but this machine, whatever address was made up."""
    if case.operation.path == "/api/v3/exports/test" and isinstance(case.body, dict) and "url" in case.body:
        case.body["url"] = HOOK if str(case.body["url"]).startswith("http") else case.body["url"]


@schemathesis.serializer("application/pdf")
def pdf(context, value):
    """The body as it goes over the wire."""
    return value if isinstance(value, bytes) else str(value).encode()


@schemathesis.deserializer("application/pdf", "application/octet-stream", "application/pkix-crl")
def file(context, response):
    """The schema of a file says only that it is one."""
    return response.content.decode("latin-1")
