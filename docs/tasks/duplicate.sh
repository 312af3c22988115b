#!/usr/bin/env bash
# Solves duplicate.yaml.
. "$(dirname "$0")/calls.sh"

support=$(channel support)
request=$(slack conversations.history channel="$support" limit=1 | jq -r '.messages[0].ts')
tickets=$(crm POST /crm/v3/objects/tickets/search '{"properties": ["subject", "content"], "filterGroups": [{"filters": [
  {"propertyName": "hs_pipeline_stage", "operator": "EQ", "value": "3"}, {"propertyName": "subject", "operator": "CONTAINS_TOKEN", "value": "PDF"}]}]}')

names=$(jq -r '[.results[].properties.content | split(" ")[0]] | join(" or ")' <<<"$tickets")
slack chat.postMessage channel="$support" thread_ts="$request" text="Which one, that of $names?" >/dev/null
for _ in $(seq 50); do
  answer=$(slack conversations.replies channel="$support" ts="$request" | jq -r '.messages[2].text // empty')
  if [ -n "$answer" ]; then break; fi
  sleep 0.2
done

ticket=$(jq -re --arg answer "$answer" '.results[] | (.properties.content | split(" ")[0]) as $name | select($answer | contains($name)) | .id' <<<"$tickets")
crm PATCH "/crm/v3/objects/tickets/$ticket" '{"properties": {"hs_pipeline_stage": "4"}}' >/dev/null
