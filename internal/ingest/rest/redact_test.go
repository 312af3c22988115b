package rest

import (
	"strings"
	"testing"

	"github.com/valyala/fastjson"

	"understudy/internal/ingest/redaction"
)

// The names of credentials are found in either case, below other members and with a
// prefix, and no other name is.
func TestCredentialsAreRedactedByName(t *testing.T) {
	names := []string{"authorization", "proxy-authorization", "cookie", "set-cookie", "x-api-key", "api_key", "apikey", "api-key", "x-org-id",
		"password", "passwd", "token", "session_token", "secret", "client_secret"}
	for _, name := range names {
		for _, name := range []string{name, strings.ToUpper(name), "http.request.header." + name} {
			if !redaction.IsCredential(name) {
				t.Errorf("%s is not a credential", name)
			}
			v := fastjson.MustParse(`{"list": [{"` + name + `": "sk_1", "org": "acme", "` + name + `_count": 3}]}`)
			(&caller{}).redact(v)
			item := v.Get("list", "0")
			if got := string(item.GetStringBytes(name)); got != redaction.Text {
				t.Errorf("%s: %q", name, got)
			}
			if string(item.GetStringBytes("org")) != "acme" || item.GetInt(name+"_count") != 3 {
				t.Errorf("%s: other members changed: %s", name, item)
			}
		}
	}
}
