package app_test

import (
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

// plain is what a reader sees: once, without the marks of styles, where the
// blocks of a message were made of its text; text and blocks where they differ.
func TestAMessageIsGradedAsItReads(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.demo().fork()
		w.bot("chat.postMessage", object{"channel": "support", "text": "*Sign in* works, <@" + w.user("jon.abel") + ">: see <https://x.example|the page> &amp; try"})
		w.bot("chat.postMessage", object{"channel": "general", "text": "For *screens*", "blocks": []object{{"type": "section", "text": object{"type": "plain_text", "text": "For readers"}}}})
		w.bot("chat.postMessage", object{"channel": "random", "text": "snake_case_name and 2 * 3 * 4"})
		w.wantChecks(`
expect:
  - {inserted: messaging.message, where: {channel: "#support", plain: "Sign in works, @jon.abel: see the page & try"}}
  - {inserted: messaging.message, where: {channel: "#general", plain: "For *screens*\nFor readers"}}
  - {inserted: messaging.message, where: {channel: "#random", plain: "snake_case_name and 2 * 3 * 4"}}
`, "passed 1: expect[0]=true; expect[1]=true; expect[2]=true")
	})
}

// A matcher may stand in the place of a value; it was compared as an object, which
// no text equals, so that not and none_of held for everything.
func TestMatchersWithinMatchersAreGraded(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		w := p.demo().fork()
		w.bot("chat.postMessage", object{"channel": "support", "text": "Which one?"})
		w.wantChecks(`
expect:
  - {state: messaging.message, where: {channel: "#support", user: "@understudy_bot", text: {not: {contains: "?"}, is: "Which one?"}}, count: 0}
  - {state: messaging.message, where: {channel: {none_of: [{is: "#support"}]}, text: "Which one?"}, count: 0}
  - {inserted: messaging.message, where: {channel: {not: {any_of: ["#general", {is: "#random"}]}}, text: {any_of: [{ends_with: "?"}, none]}}}
`, "passed 1: expect[0]=true; expect[1]=true; expect[2]=true")
	})
}

// A refusal begins with the place of the mistake; the document as a whole has a line and no field.
func TestARefusedVerdictNamesThePlace(t *testing.T) {
	s := apptest.Start(t)
	w := planeOf(t, s).demo()
	for text, want := range map[string]string{"answer: x": "line 1: expects nothing: ", "expect:\n  - {inserted: mesage}": "line 1, expect[0].inserted: there is no entity "} {
		if got := at(w.verdict(text, 422), "error", "message").(string); !strings.HasPrefix(got, want) {
			t.Errorf("%s: %s", text, got)
		}
	}
}
