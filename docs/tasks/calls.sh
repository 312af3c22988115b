# What the solutions share: calls of the three services with curl and jq.
set -euo pipefail

slack() { # METHOD NAME=VALUE...
  local method=$1 fields=(); shift
  for field in "$@"; do fields+=(--data-urlencode "$field"); done
  curl -sS -H "Authorization: Bearer $SLACK_BOT_TOKEN" "${fields[@]}" "$SLACK_API_URL$method"
}

crm() { # METHOD PATH [JSON]
  curl -sS -X "$1" -H "Authorization: Bearer $HUBSPOT_ACCESS_TOKEN" -H 'Content-Type: application/json' "$HUBSPOT_BASE_PATH$2" ${3:+-d "$3"}
}

linear() { # QUERY VARIABLES
  curl -sS -H "Authorization: $LINEAR_API_KEY" -H 'Content-Type: application/json' "$LINEAR_API_URL" \
    -d "$(jq -n --arg query "$1" --argjson variables "$2" '{$query, $variables}')"
}

channel() { # NAME
  slack conversations.list limit=200 | jq -re --arg name "$1" '.channels[] | select(.name == $name) | .id'
}
