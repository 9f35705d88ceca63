"""The main job with a client generated from the OpenAPI document: log in, start a document from a template, sign for both
signers, download the sealed document, and have it verified."""

import json
import sys
from io import BytesIO

from countersign_client import AuthenticatedClient, Client
from countersign_client.api.login import login
from countersign_client.api.verification import verification_verify
from countersign_client.api.workflows import (
    workflows_approve,
    workflows_cancel,
    workflows_get,
    workflows_get_document,
    workflows_start,
)
from countersign_client.models import (
    ActInput,
    CancelInput,
    ExportInput,
    FieldInput,
    LoginRequest,
    LoginRequestBody,
    LoginRequestHeader,
    Problem,
    RecipientInput,
    StartRequest,
)
from countersign_client.types import File

if len(sys.argv) != 8:
    raise SystemExit("walk.py ADDRESS COMPANY EMAIL PASSWORD HOOK TEMPLATE VALUES")
base, company, email, password, hook, template, values = sys.argv[1:]


def sound(answer):
    """The answer, or the problem that the service names."""
    if isinstance(answer, Problem) or answer is None:
        raise SystemExit(f"refused: {answer}")
    return answer


request = LoginRequest(
    header=LoginRequestHeader(request_code="1001Q"),
    body=LoginRequestBody(memb_email=email, memb_pwd=password),
)
token = sound(login.sync(company, client=Client(base_url=base), body=request)).body.access_token
client = AuthenticatedClient(base_url=base, token=token)

started = sound(
    workflows_start.sync(
        client=client,
        body=StartRequest(
            workflow_name="Employment contract",
            template_id=int(template),
            recipient_list=[
                RecipientInput(order=1, name="김사장", email="employer@example.com"),
                RecipientInput(order=2, name="이직원", email="employee@example.com"),
            ],
            export_api_info=ExportInput(url=hook, api_type="ALL", is_embed=True),
        ),
    )
)
workflow_id = started.workflow_id
for order, step in enumerate(json.loads(values), 1):
    fields = [FieldInput.from_dict(field) for field in step]
    sound(workflows_approve.sync(workflow_id, client=client, body=ActInput(order=order, field_list=fields)))

workflow = sound(workflows_get.sync(workflow_id, client=client))
refused = workflows_cancel.sync(workflow_id, client=client, body=CancelInput(comment="too late"))
sealed = sound(workflows_get_document.sync(workflow_id, client=client)).payload.read()
verdict = sound(verification_verify.sync(client=client, body=File(payload=BytesIO(sealed))))
print(
    json.dumps(
        {
            "workflow_id": workflow_id,
            "status": workflow.status,
            "refused": refused.code,
            "bytes": len(sealed),
            "outcome": verdict.outcome,
        }
    )
)
