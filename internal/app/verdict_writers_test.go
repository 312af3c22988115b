package app_test

import "testing"

// An agent replies in a thread, so that two requests have written the first
// message. A verdict knows on PostgreSQL too, where the journal has both for it,
// whose it is: that of the agent who began the thread, or of a person who did.
func TestSeveralWritersOfAMessage(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.demo().fork()
		first := w.bot("chat.postMessage", object{"channel": "support", "text": "Who is on call?"})
		w.bot("chat.postMessage", object{"channel": "support", "text": "Tom is.", "thread_ts": first["ts"]})
		asked := w.web(w.person("jon.abel"), "chat.postMessage", object{"channel": "#support", "text": "Anybody here?"})
		w.bot("chat.postMessage", object{"channel": "support", "text": "I am.", "thread_ts": asked["ts"]})
		v := w.verdict(`
expect:
  - {inserted: messaging.message, where: {text: "Who is on call?", reply_count: 1}, as: question}
  - {inserted: messaging.message, where: {thread_ts: $question.ts, text: Tom is.}}
  - {inserted: messaging.message, where: {text: I am.}}
  - {inserted: messaging.message, where: {text: "Anybody here?", reply_count: 1}, by: "@jon.abel"}
  - {inserted: messaging.message, where: {text: "Anybody here?"}, count: 0}
nothing_else: true
`, 200)
		if got, want := checks(v), "passed 1: expect[0]=true; expect[1]=true; expect[2]=true; expect[3]=true; expect[4]=true; nothing_else=true"; got != want {
			t.Errorf("the verdict is %s, want %s", got, want)
		}
	})
}
