curl https://sign.example.com/api/demo/login \
  -H 'Content-Type: application/json' \
  -d '{"header": {"request_code": "1001Q"},
       "body": {"memb_email": "demo@example.com", "memb_pwd": "PASSWORD"}}'

curl https://sign.example.com/api/v3/workflows/start \
  -H "Authorization: service $TOKEN" \
  -H 'Content-Type: application/json' \
  -d '{"workflow_name": "Employment contract", "template_id": 1, "language": "en",
       "recipient_list": [{"order": 1, "name": "Jane Doe", "email": "jane@example.com"},
                          {"order": 2, "name": "John Roe", "email": "john@example.com"}],
       "export_api_info": {"url": "https://hooks.example.com/sign", "api_type": "ALL", "is_embed": true}}'

curl https://sign.example.com/api/v3/workflows/$WORKFLOW_ID \
  -H "Authorization: service $TOKEN"

curl https://sign.example.com/api/v3/workflows/$WORKFLOW_ID/document -o contract.pdf \
  -H "Authorization: service $TOKEN"
curl https://sign.example.com/api/v3/workflows/$WORKFLOW_ID/certificate -o certificate.pdf \
  -H "Authorization: service $TOKEN"
