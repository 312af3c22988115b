package runner

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"understudy/internal/task"
	"understudy/internal/task/plane"
)

// scene is a fork with the people and programs around the agent.
type scene struct {
	plane       *plane.Client
	task        *task.Task
	environment string          // the fork
	credentials json.RawMessage // of the fork, without the admin key
	port        int             // of the app; 0 without one
	known       task.Bindings
	hurry       <-chan struct{} // closed to end all waiting
}

// act performs an act of a person, and stores the reply under the name of the
// act.
func (s *scene) act(ctx context.Context, act *task.Act, known task.Bindings) error {
	verb, body, err := act.Call(known)
	if err != nil {
		return err
	}
	reply := map[string]any{}
	if err := s.plane.Do(ctx, http.MethodPost, plane.PersonPath(s.environment, act.Person, act.Tenant, verb), body, &reply); err != nil {
		return err
	}
	if act.As != "" {
		known[act.As] = reply
	}
	return nil
}

// before performs the acts before the command.
func (s *scene) before(ctx context.Context) error {
	for i := range s.task.Before {
		if err := s.act(ctx, &s.task.Before[i], s.known); err != nil {
			return placed{fmt.Sprintf("before[%d]", i), err}
		}
	}
	return nil
}

// reaction is a scripted person who waits for a message.
type reaction struct {
	*task.Reaction
	after string // the newest item before the command starts
	field string
}

// reactions returns the scripted people of a run, each with the place in their
// inbox after which messages count.
func (s *scene) reactions(ctx context.Context) (out []reaction, err error) {
	for i := range s.task.Meanwhile {
		r := reaction{Reaction: &s.task.Meanwhile[i], field: fmt.Sprintf("meanwhile[%d]", i)}
		var inbox struct {
			Items []struct{ ID string }
		}
		path := plane.PersonPath(s.environment, r.When.Person, "", "inbox") + "?limit=1"
		if r.When.Tenant != "" {
			path = plane.PersonPath(s.environment, r.When.Person, r.When.Tenant, "inbox") + "&limit=1"
		}
		if err := s.plane.Do(ctx, http.MethodGet, path, nil, &inbox); err != nil {
			return nil, placed{r.field + ".when", err}
		}
		if len(inbox.Items) > 0 {
			r.after = inbox.Items[0].ID
		}
		out = append(out, r)
	}
	return out, nil
}

// checkPeople makes requests in the rehearsal that otherwise occur while the
// command runs: it returns the error for a person whom a program plays, or for
// the wait of a reaction.
func (s *scene) checkPeople(ctx context.Context, reactions []reaction) error {
	if s.task.User != nil {
		if _, err := s.userSession(ctx); err != nil {
			return err
		}
	}
	for i := range reactions {
		r := reactions[i] // an item that it finds does not count for the reaction
		wanted, err := r.Awaited(s.known)
		if err == nil {
			_, err = s.next(ctx, &r, wanted, rehearsedMS)
		}
		if err != nil {
			return placed{r.field + ".when", err}
		}
	}
	return nil
}

// rehearsedMS is how long the rehearsal waits for a message, in milliseconds: it
// only checks that the wait is valid.
const rehearsedMS = 1

// waitMS is how long one wait for a message lasts, in milliseconds.
const waitMS = 30_000

// play waits for the messages of a reaction and performs its acts, until ctx
// ends.
func (s *scene) play(ctx context.Context, r *reaction) error {
	times := int64(1)
	if r.Times != nil {
		times = *r.Times
	}
	wanted, err := r.Awaited(s.known)
	if err != nil {
		return placed{r.field + ".when", err}
	}
	for times > 0 {
		item, err := s.next(ctx, r, wanted, waitMS)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return placed{r.field + ".when", err}
		case item == nil:
			continue
		}
		known := s.known.With(item)
		for i := range r.Then {
			if err := s.act(ctx, &r.Then[i], known); err != nil && ctx.Err() == nil {
				return placed{fmt.Sprintf("%s.then[%d]", r.field, i), err}
			}
		}
		times--
	}
	return nil
}

// next returns the next item that a reaction waits for; nil if none arrived in
// time.
func (s *scene) next(ctx context.Context, r *reaction, wanted any, ms int) (map[string]any, error) {
	body := map[string]any{"for": wanted, "timeout_ms": ms}
	if r.after != "" {
		body["after"] = r.after
	}
	var reply struct {
		Item map[string]any `json:"item"`
	}
	err := s.plane.Do(ctx, http.MethodPost, plane.PersonPath(s.environment, r.When.Person, r.When.Tenant, "wait"), body, &reply)
	if refused := plane.Refused(err); refused != nil && refused.Code == "timed_out" {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	id, _ := reply.Item["id"].(string)
	if id == "" {
		return nil, errors.New("the reply names no item")
	}
	r.after = id
	return reply.Item, nil
}
