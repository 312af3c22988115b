package app_test

import "testing"

// An agent replies in a thread that it began, so that two of its requests have
// written the first message. It is the agent's on PostgreSQL too, where the
// journal does not tell them apart.
func TestSeveralWritersOfOneAgent(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.demo().fork()
		first := w.bot("chat.postMessage", object{"channel": "support", "text": "Who is on call?"})
		w.bot("chat.postMessage", object{"channel": "support", "text": "Tom is.", "thread_ts": first["ts"]})
		v := w.verdict(`
expect:
  - {inserted: messaging.message, where: {text: "Who is on call?", reply_count: 1}, as: question}
  - {inserted: messaging.message, where: {thread_ts: $question.ts, text: Tom is.}}
nothing_else: true
`, 200)
		if got, want := checks(v), "passed 1: expect[0]=true; expect[1]=true; nothing_else=true"; got != want {
			t.Errorf("the verdict is %s, want %s", got, want)
		}
	})
}
