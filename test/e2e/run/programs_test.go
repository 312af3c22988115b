package run

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain runs the tests or, with an argument, one of the programs around an
// agent: an app that the world calls, or a simulated user.
func TestMain(m *testing.M) {
	switch {
	case len(os.Args) > 1 && os.Args[1] == "play-app":
		playApp()
	case len(os.Args) > 1 && os.Args[1] == "play-user":
		playUser()
	default:
		os.Exit(m.Run())
	}
}

// playApp answers a command with a message in its channel.
func playApp() {
	http.HandleFunc("/commands", func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		form, _ := url.ParseQuery(string(body))
		post(os.Getenv("SLACK_BOT_TOKEN"), form.Get("channel_id"), "Approve "+form.Get("text")+"?")
	})
	fmt.Println(http.ListenAndServe("127.0.0.1:"+os.Getenv("PORT"), nil))
}

// playUser posts which credentials its environment holds.
func playUser() {
	bot := os.Getenv("SLACK_BOT_TOKEN") + os.Getenv("HUBSPOT_ACCESS_TOKEN") + os.Getenv("LINEAR_API_KEY")
	post(os.Getenv("UNDERSTUDY_PERSON_TOKEN"), "#general", "I play "+os.Getenv("UNDERSTUDY_PERSON")+" with no token of the agent: "+fmt.Sprint(bot == ""))
	select {}
}

func post(token, channel, text string) {
	r, err := http.NewRequest(http.MethodPost, os.Getenv("SLACK_API_URL")+"chat.postMessage", strings.NewReader(url.Values{"channel": {channel}, "text": {text}}.Encode()))
	if err != nil {
		panic(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	reply, err := http.DefaultClient.Do(r)
	if err != nil {
		panic(err)
	}
	defer func() { _ = reply.Body.Close() }()
	text2, _ := io.ReadAll(reply.Body)
	fmt.Printf("%s\n", text2)
}

// An app under test is called in each run at a port of its own, a program plays a
// person, and another person answers the app.
func programs(t *testing.T, h *host) {
	world, err := filepath.Abs("../../../docs/tasks/approvals/world.yaml")
	if err != nil {
		t.Fatal(err)
	}
	task := h.write("approvals.yaml", fmt.Sprintf(`task: approvals
world: {fixture: demo, seed: 7, clock: 2026-03-02T09:00:00Z, document: %q}
before: [{person: messaging/jon.abel, run: {command: /approve 42, channel: "#general"}}]
meanwhile:
  - {when: {person: messaging/lena.park, message: {channel: "#general", plain: {contains: no token of the agent}}}, then: [{react: {message: $message, emoji: eyes}}]}
app: {command: [%q, play-app], ready: port, serves: "http://bot.invalid", app: approvals}
user: {command: [%q, play-user], person: messaging/jon.abel}
expect:
  - {inserted: messaging.message, where: {channel: "#general", plain: "Approve 42?"}}
  - {inserted: messaging.message, by: "@jon.abel", where: {plain: "I play messaging/jon.abel with no token of the agent: true"}}
  - {inserted: messaging.reaction, by: "@lena.park"}
nothing_else: true`, world, os.Args[0], os.Args[0]))
	out, err := h.command(task, "-n", "2", "-p", "2", "--", "bash", "-c", `until curl -sS -H "Authorization: Bearer $SLACK_BOT_TOKEN" "${SLACK_API_URL}conversations.history" \
		-d channel="$(curl -sS -H "Authorization: Bearer $SLACK_BOT_TOKEN" "${SLACK_API_URL}conversations.list" | jq -r '.channels[] | select(.name == "general") | .id')" | grep -q eyes; do sleep 0.1; done`).CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
