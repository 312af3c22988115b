package runner

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"understudy/internal/task/plane"
)

// readyWithin is how long an app under test may take to accept connections.
const readyWithin = 30 * time.Second

// freePort returns a port that is currently unused.
func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer func() { _ = l.Close() }()
	return l.Addr().(*net.TCPAddr).Port, nil
}

// startApp starts the app under test and waits until it accepts connections.
func (s *scene) startApp(ctx context.Context, o *outfit) (*process, error) {
	more, err := appVariables(s.task, s.credentials, s.port)
	if err != nil {
		return nil, err
	}
	app, err := (&program{s.task.App.Command, s.task.Dir(), s.task.Dir(), with(o.variables, more...)}).start()
	if err != nil {
		return nil, fmt.Errorf("app: %w", err)
	}
	ctx, cancel := context.WithTimeoutCause(ctx, readyWithin, fmt.Errorf("it accepted no connection on port %d within %v", s.port, readyWithin))
	defer cancel()
	for wait := 2 * time.Millisecond; ; wait = min(2*wait, 100*time.Millisecond) {
		conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", "127.0.0.1:"+strconv.Itoa(s.port))
		if err == nil {
			_ = conn.Close()
			return app, nil
		}
		select {
		case <-time.After(wait):
		case <-app.ended:
			return nil, fmt.Errorf("app: not ready: it ended with status %d: %s", app.status, app.output)
		case <-ctx.Done():
			app.stop(s.hurry)
			if cause := context.Cause(ctx); !errors.Is(cause, context.Canceled) {
				return nil, fmt.Errorf("app: not ready: %w: %s", cause, app.output)
			}
			return nil, context.Canceled
		}
	}
}

// credentialsOfAgent are the variables that a simulated user does not receive:
// actions with them count as the agent's.
var credentialsOfAgent = []string{"SLACK_BOT_TOKEN", "SLACK_USER_TOKEN", "SLACK_SIGNING_SECRET", "HUBSPOT_ACCESS_TOKEN", "LINEAR_API_KEY",
	"AGNOST_ORG_ID", "AGNOST_SESSION_ID", "TRACEPARENT", "UNDERSTUDY_MCP_CONFIG", "UNDERSTUDY_ANSWER_FILE"}

// session is the credentials of a person's own client.
type session struct {
	Token   string `json:"token"`
	BaseURL string `json:"base_url"`
}

// userSession creates a session of the person whom a program plays.
func (s *scene) userSession(ctx context.Context) (out session, err error) {
	u := s.task.User
	if err := s.plane.Do(ctx, http.MethodPost, plane.PersonPath(s.environment, u.Person, u.Tenant, "session"), map[string]any{}, &out); err != nil {
		return out, placed{"user", err}
	}
	return out, nil
}

// startUser starts the program that plays a person.
func (s *scene) startUser(ctx context.Context, o *outfit) (*process, error) {
	u := s.task.User
	own, err := s.userSession(ctx)
	if err != nil {
		return nil, err
	}
	env := with(without(o.variables, credentialsOfAgent...), "UNDERSTUDY_PERSON="+u.Person, "UNDERSTUDY_PERSON_TOKEN="+own.Token, "UNDERSTUDY_PERSON_BASE_URL="+own.BaseURL)
	user, err := (&program{u.Command, s.task.Dir(), s.task.Dir(), env}).start()
	if err != nil {
		return nil, fmt.Errorf("user: %w", err)
	}
	return user, nil
}
