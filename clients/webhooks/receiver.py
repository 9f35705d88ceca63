"""A receiver of Countersign's webhooks in Python, with only the standard library:

    WEBHOOK_SECRET=whsec_… python3 receiver.py [PORT]

It trusts nothing unsigned, answers before it works, and works only once however often an event comes.
"""

import base64
import hashlib
import hmac
import json
import os
import sys
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

TOLERANCE = 300
"""The most that the sender's clock may differ from ours, in seconds."""
LONGEST = 8 * 1024 * 1024
"""The longest body of a webhook, in bytes. A longer one is not from Countersign."""


def verify(secret, headers, body, now=None):
    """Whether these headers and this body, byte for byte as received, were signed with the secret (Standard Webhooks)."""
    try:
        sent = int(headers["webhook-timestamp"])
        identity = headers["webhook-id"].encode()
        given = headers["webhook-signature"].split(" ")
    except (AttributeError, KeyError, TypeError, ValueError):
        return False
    if abs((time.time() if now is None else now) - sent) > TOLERANCE:
        return False
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signature = hmac.new(key, b"%s.%d.%s" % (identity, sent, body), hashlib.sha256).digest()
    wanted = b"v1," + base64.b64encode(signature)
    # Several, while an old secret is still valid.
    return any(hmac.compare_digest(wanted, one.encode()) for one in given)


def work(event):
    """Your work for an event."""
    named = ("workflow_id", "command_type", "status", "order")
    print(json.dumps({name: event[name] for name in named}), flush=True)


done = set()
"""Ids of handled events. Store them with your data, in the same transaction as the work."""
lock = threading.Lock()


class Receiver(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    secret = ""

    def do_POST(self):
        length = int(self.headers.get("content-length", 0))
        body = self.rfile.read(length) if 0 <= length <= LONGEST else b""
        sound = verify(self.secret, self.headers, body)
        self.send_response(204 if sound else 401)
        self.send_header("content-length", "0")
        self.end_headers()
        self.wfile.flush()
        if not sound:
            return
        identity = self.headers["webhook-id"]
        with lock:
            if identity in done:
                return
            done.add(identity)
        work(json.loads(body))

    def log_message(self, *_):
        """Logs nothing: `work` reports webhooks."""


if __name__ == "__main__":
    Receiver.secret = os.environ.get("WEBHOOK_SECRET", "")
    if not Receiver.secret:
        raise SystemExit("WEBHOOK_SECRET is missing: `countersign client secret --company ID` shows it")
    server = ThreadingHTTPServer(("127.0.0.1", int(sys.argv[1]) if len(sys.argv) > 1 else 9000), Receiver)
    print(f"listening on http://127.0.0.1:{server.server_port}/", flush=True)
    server.serve_forever()
