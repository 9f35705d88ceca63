# python3 walk.py: needs Python 3.9 and nothing else.
import json
import time
import urllib.request

BASE = "https://sign.example.com"
token = None


def call(method, path, body=None):
    headers = {"Content-Type": "application/json"}
    if token:
        headers["Authorization"] = f"service {token}"
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(BASE + path, data, headers, method=method)
    with urllib.request.urlopen(request) as response:
        return response.read()


login = call("POST", "/api/demo/login", {
    "header": {"request_code": "1001Q"},
    "body": {"memb_email": "demo@example.com", "memb_pwd": "PASSWORD"},
})
token = json.loads(login)["body"]["access_token"]

started = json.loads(call("POST", "/api/v3/workflows/start", {
    "workflow_name": "Employment contract",
    "template_id": 1,
    "language": "en",
    "recipient_list": [
        {"order": 1, "name": "Jane Doe", "email": "jane@example.com"},
        {"order": 2, "name": "John Roe", "email": "john@example.com"},
    ],
    "export_api_info": {"url": "https://hooks.example.com/sign", "api_type": "ALL", "is_embed": True},
}))
workflow = f"/api/v3/workflows/{started['workflow_id']}"
print(f"Document {started['workflow_id']}. Sign here: {started['sign_url']}", flush=True)

# In production, wait for the webhook instead.
while json.loads(call("GET", workflow))["status"] != "Complete":
    time.sleep(2)

for name in ("document", "certificate"):
    with open(f"{name}.pdf", "wb") as file:
        file.write(call("GET", f"{workflow}/{name}"))
