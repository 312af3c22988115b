package verdict

import "testing"

// The code of an error is found in the form of each service.
func TestCodesAreReadInEachDialect(t *testing.T) {
	for reply, want := range map[string]any{
		`{"ok":false,"error":"channel_not_found"}`:                                                 "channel_not_found",
		`{"status":"error","message":"m","category":"CONFLICT"}`:                                   "CONFLICT",
		`{"errors":[{"message":"m","extensions":{"code":"INPUT_ERROR"}}]}`:                         "INPUT_ERROR",
		`{"error":"forbidden","message":"m"}`:                                                      "forbidden",
		`{"error":"The key is no valid ingestion key.","code":"invalid_api_key","request_id":"r"}`: "invalid_api_key",
		`{"error":{"code":"not_found","message":"m"}}`:                                             "not_found",
		`{"ok":true}`: nil,
	} {
		if got := codeOf([]byte(reply)); got != want {
			t.Errorf("%s: %v, want %v", reply, got, want)
		}
	}
}
