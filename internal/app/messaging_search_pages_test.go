package app_test

import (
	"encoding/base64"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

// A search whose matches are long ends its page early, with a cursor also where
// none was asked for, and its cursors lead through all matches.
func TestASearchOfLongMessagesIsPaged(t *testing.T) {
	s := apptest.Start(t)
	token := s.Credential("messaging", "user_token")
	api := func(method string, body map[string]any) map[string]any {
		t.Helper()
		status, out := s.Call("POST", "/messaging/api/"+method, token, body)
		if status != 200 || out["ok"] != true {
			t.Fatalf("%s: %d %v", method, status, out)
		}
		return out
	}
	channel := api("conversations.create", map[string]any{"name": "long"})["channel"].(map[string]any)["id"]
	long := []map[string]any{{"text": strings.Repeat("x", 250<<10)}}
	const n = 75
	for i := range n {
		api("chat.postMessage", map[string]any{"channel": channel, "text": fmt.Sprint("needle ", i), "attachments": long})
	}
	for _, count := range []int{100, 70} {
		seen, pages, cursor := map[string]bool{}, 0, ""
		for pages == 0 || cursor != "" {
			status, out := s.Call("GET", fmt.Sprintf("/messaging/api/search.messages?query=needle&sort=timestamp&count=%d&cursor=%s", count, url.QueryEscape(cursor)), token, nil)
			if status != 200 || out["ok"] != true {
				t.Fatalf("count %d, page %d: %d %v", count, pages+1, status, out)
			}
			found := out["messages"].(map[string]any)
			if found["total"].(float64) != n {
				t.Errorf("total %v", found["total"])
			}
			if pages++; pages > 5 {
				t.Fatal("no end")
			}
			matches := found["matches"].([]any)
			paging := found["pagination"].(map[string]any)
			if first, last := int(paging["first"].(float64)), int(paging["last"].(float64)); first != len(seen)+1 || last != len(seen)+len(matches) {
				t.Errorf("matches %d to %d after %d", first, last, len(seen))
			}
			for _, m := range matches {
				seen[m.(map[string]any)["ts"].(string)] = true
			}
			cursor = ""
			if meta, ok := out["response_metadata"].(map[string]any); ok {
				cursor = meta["next_cursor"].(string)
			}
		}
		if len(seen) != n || pages != 2 {
			t.Errorf("count %d: %d matches on %d pages", count, len(seen), pages)
		}
	}
	for _, position := range []string{"match:0", "match:-1", "match:10000", "match:x", "match:"} {
		if _, out := s.Call("GET", "/messaging/api/search.messages?query=needle&cursor="+url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(position))), token, nil); out["error"] != "invalid_cursor" {
			t.Errorf("%s: %v", position, out["error"])
		}
	}
}
