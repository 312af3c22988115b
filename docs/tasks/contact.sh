#!/usr/bin/env bash
# Solves the tasks contact-*.yaml: tries again, and knows that the first try may have been carried out.
. "$(dirname "$0")/calls.sh"

for _ in 1 2 3; do
  reply=$(crm POST /crm/v3/objects/contacts '{"properties": {"email": "grace@hopper.example", "firstname": "Grace", "lastname": "Hopper"}}') || reply='{}'
  if jq -e '.id or .category == "CONFLICT"' <<<"$reply" >/dev/null; then break; fi
  sleep 2
done
sales=$(channel sales)
slack conversations.join channel="$sales" >/dev/null
slack chat.postMessage channel="$sales" text="Grace Hopper is among the contacts now." | jq -e .ok >/dev/null
