package plane

import "testing"

// A call of a tool counts as the requests that the tool makes; what the tool
// server asks for itself does not count.
func TestWhichRequestsCount(t *testing.T) {
	parent := int64(1)
	for _, row := range []struct {
		request Request
		counts  bool
	}{
		{Request{Operations: []string{"messaging.auth.test"}}, true},
		{Request{}, true}, // of no operation, such as the list of tools
		{Request{Operations: []string{"mcp.msg_post_message"}}, false},
		{Request{Operations: []string{"messaging.chat.postMessage"}, Via: &Tool{Kind: "mcp", Tool: "msg_post_message"}, ParentSeq: &parent}, true},
		{Request{Operations: []string{"messaging.auth.test"}, ParentSeq: &parent}, false},
	} {
		if got := row.request.Counts(); got != row.counts {
			t.Errorf("%+v counts: %v", row.request, got)
		}
	}
}
