package mcptools

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"understudy/internal/platform/mcpkit"
)

// refused is a refusal as the tools show it.
type refused struct {
	Error      string `json:"error"`
	Message    string `json:"message"`
	Status     int    `json:"status"`
	RetryAfter int    `json:"retryAfter,omitempty"`
	Hint       string `json:"hint"`
}

func failure(body refused) *mcpkit.Failure {
	return &mcpkit.Failure{Body: body, Message: body.Message}
}

// finders are the tools that list what was not found.
var finders = map[string]string{
	"Issue":   "An issue is named by its identifier, such as ENG-12, or its id: find it with list_issues.",
	"Team":    "Find teams with list_teams.",
	"Project": "Find projects with list_projects.",
	"Comment": "parentId is the id of a comment on the same issue: get_issue shows them.",
}

// refusal returns a refusal of the service in the words of the tools.
func refusal(e gqlError, retryAfter int) *mcpkit.Failure {
	x := e.Extensions
	body := refused{Error: strings.ReplaceAll(x.Type, " ", "_"), Message: e.Message, Status: x.StatusCode}
	if x.Presentable != "" && x.Presentable != e.Message {
		body.Message += " - " + x.Presentable
	}
	f := &mcpkit.Failure{}
	switch {
	case x.Type == "authentication error":
		f.Status = http.StatusUnauthorized
		f.Message = "the tracker refused the key: it is unknown, revoked or expired"
		body.Hint = "The tool server's key does not work. No tool will work until it is started with a valid personal API key."
	case x.Type == "ratelimited":
		body.RetryAfter = max(1, retryAfter)
		f.Status, f.RetryAfter = http.StatusTooManyRequests, body.RetryAfter
		body.Hint = fmt.Sprintf("Too much was asked in a short time. Wait %d seconds, then call again with the same arguments.", body.RetryAfter)
	case x.Type == "forbidden":
		body.Hint = "Your user may not do this. Do without it, or ask an admin."
	case strings.HasPrefix(e.Message, "Entity not found: "):
		what, _, _ := strings.Cut(strings.TrimPrefix(e.Message, "Entity not found: "), ":")
		if body.Hint = finders[what]; body.Hint == "" {
			body.Hint = "Check the names and ids that you gave; calling again with the same ones will not help."
		}
	case strings.Contains(strings.ToLower(body.Message), "cursor"):
		body.Hint = "The cursor does not belong to this list. Call again without cursor to start from the beginning."
	case x.StatusCode >= 500:
		body.Hint = "The service failed. Try again; if it fails again, try another way."
	default:
		body.Hint = "Mend the argument that the message names and call again; the same arguments will not help."
	}
	if f.Message == "" {
		f.Message = body.Message
	}
	f.Body = body
	return f
}

// refuse returns a refusal of the tool server itself.
func refuse(code, detail, hint string) *mcpkit.Failure {
	status := http.StatusBadRequest
	if code == "internal_error" {
		status = http.StatusInternalServerError
	}
	return failure(refused{Error: code, Message: detail, Status: status, Hint: hint})
}

func (c *Client) unreachable(err error) *mcpkit.Failure {
	var ue *url.Error
	if errors.As(err, &ue) {
		err = ue.Err // the message contains the address already
	}
	message := fmt.Sprintf("the tracker at %s cannot be reached: %v", c.base, err)
	return &mcpkit.Failure{Status: http.StatusServiceUnavailable, Message: message, Body: refused{Error: "service_unavailable",
		Message: message, Status: http.StatusServiceUnavailable,
		Hint: "The service cannot be reached at the moment. Try again in a few seconds; if it stays so, tell the user."}}
}
