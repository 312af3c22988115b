#!/usr/bin/env bash
# Solves triage.yaml.
. "$(dirname "$0")/calls.sh"

support=$(channel support)
request=$(slack conversations.history channel="$support" limit=1 | jq -r '.messages[0].ts')

ids=$(linear 'query { teams(filter: {key: {eq: "SUP"}}) { nodes { id } } issueLabels(filter: {name: {eq: "Sign-in"}}) { nodes { id } } }' '{}')
issue=$(linear 'mutation($input: IssueCreateInput!) { issueCreate(input: $input) { issue { identifier } } }' "$(jq '{input: {
  teamId: .data.teams.nodes[0].id, labelIds: [.data.issueLabels.nodes[0].id], priority: 2, title: "Pinewood Logistics cannot sign in"}}' <<<"$ids")" |
  jq -re .data.issueCreate.issue.identifier)

contact=$(crm POST /crm/v3/objects/contacts/search '{"query": "Ida Lang"}' | jq -re '.results[0].id')
ticket=$(crm POST /crm/v3/objects/tickets "$(jq -n --arg subject "$issue: sign-in of Pinewood Logistics" '{properties: {
  $subject, hs_pipeline: "0", hs_pipeline_stage: "1"}}')" | jq -re .id)
crm PUT "/crm/v4/objects/tickets/$ticket/associations/default/contacts/$contact" >/dev/null

slack chat.postMessage channel="$support" thread_ts="$request" text="We are on it: $issue" | jq -e .ok >/dev/null
echo "$issue" >"$UNDERSTUDY_ANSWER_FILE"
