package runner

import (
	"bytes"
	"context"
	"net/http"
	"strings"

	"understudy/internal/task/plane"
)

// tokensOf are the variables with tokens of a service.
var tokensOf = map[string][]string{"messaging": {"SLACK_BOT_TOKEN", "SLACK_USER_TOKEN"}, "crm": {"HUBSPOT_ACCESS_TOKEN"}, "tracker": {"LINEAR_API_KEY"}}

// lend creates a session of the person as whom the agent works, and replaces the
// service's tokens by its token, in the variables and in the list of tool
// servers, which it returns.
func (a *attempt) lend(ctx context.Context, variables []string, servers []byte) ([]byte, error) {
	limit := a.task.Limit(a.options.Timeout)
	var session struct {
		Token string `json:"token"`
	}
	err := a.plane.Do(ctx, http.MethodPost, plane.PersonPath(a.environment, a.task.As, "", "session"),
		map[string]any{"actor": "agent", "expires_seconds": int(limit.Seconds()) + 600}, &session)
	if err != nil {
		return nil, err
	}
	service, _, _ := strings.Cut(a.task.As, "/")
	for i, v := range variables {
		for _, name := range tokensOf[service] {
			if own, ok := strings.CutPrefix(v, name+"="); ok && own != "" {
				variables[i] = name + "=" + session.Token
				servers = bytes.ReplaceAll(servers, []byte(own), []byte(session.Token))
			}
		}
	}
	return servers, nil
}
