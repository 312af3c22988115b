package run

import (
	"bytes"
	"os"
	"testing"
)

// hasty posts a message and ends without waiting for the reply.
const hasty = `
url=${SLACK_API_URL#http://}
host=${url%%/*}
exec 3<>"/dev/tcp/${host%:*}/${host#*:}"
body='{"channel":"general","text":"sent and gone"}'
printf 'POST /%schat.postMessage HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s' \
	"${url#*/}" "$host" "$SLACK_BOT_TOKEN" ${#body} "$body" >&3
`

// A request that has arrived counts, also where its agent ends before the reply.
func unawaited(t *testing.T, h *host) {
	task := h.write("hasty.yaml", `{task: hasty, world: {fixture: demo}, trajectory: [{called: {operation: messaging.chat.postMessage}, count: 1}]}`)
	runs := "40"
	if more := os.Getenv("RUNS"); more != "" {
		runs = more
	}
	out, err := h.command(task, "-n", runs, "-p", "8", "--format", "jsonl", "--", "bash", "-c", hasty).Output()
	if err != nil {
		t.Fatalf("%v: %d of %s runs have failed\n%.2000s", err, bytes.Count(out, []byte(`"state":"failed"`)), runs, out)
	}
}
