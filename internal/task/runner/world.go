package runner

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"time"

	"understudy/internal/task"
	"understudy/internal/task/plane"
)

// maxDocument is the size of the largest seed document that a server accepts.
const maxDocument = 8 << 20

// worlds are the environments from which runs are forked, by the requests that
// created them: tasks with the same world share it.
type worlds struct {
	*Runner
	ids  map[string]string
	made []string // ids to delete
}

// of returns the world of a task, creating it for the first one.
func (w *worlds) of(ctx context.Context, t *task.Task, ttl time.Duration) (string, error) {
	if t.World.Environment != "" {
		return t.World.Environment, nil
	}
	request := map[string]any{"name": "world of " + t.Name, "ephemeral": true, "ttl_seconds": math.Ceil(ttl.Seconds())}
	for name, text := range map[string]string{"fixture": t.World.Fixture, "clock": t.World.Clock, "rate_limits": t.World.RateLimits} {
		if text != "" {
			request[name] = text
		}
	}
	if t.World.Seed != nil {
		request["seed"] = *t.World.Seed
	}
	if t.World.Document != "" {
		text, err := task.ReadFile(t.Path(t.World.Document), maxDocument)
		if err != nil {
			return "", t.Bad("world.document", err.Error())
		}
		request["document"] = string(text)
	}
	key, err := keyOf(request)
	if err != nil {
		return "", err
	}
	if id := w.ids[key]; id != "" {
		return id, nil
	}
	var made struct{ ID string }
	err = w.server.Do(context.WithoutCancel(ctx), http.MethodPost, "/environments", request, &made)
	if refused := plane.Refused(err); refused != nil && refused.Status < 500 {
		text := refused.Error()
		if t.World.Document != "" && refused.Field != "" {
			text = t.World.Document + ": " + text
		}
		return "", t.Bad("world", text)
	}
	if err != nil {
		return "", err
	}
	w.ids[key] = made.ID
	w.made = append(w.made, made.ID)
	return made.ID, nil
}

// keyOf returns a text that is equal for equal requests.
func keyOf(request map[string]any) (string, error) {
	same := map[string]any{}
	for name, value := range request {
		if name != "name" {
			same[name] = value
		}
	}
	text, err := json.Marshal(same)
	return string(text), err
}

// remove deletes the created worlds.
func (w *worlds) remove() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	for _, id := range w.made {
		if err := w.server.Do(ctx, http.MethodDelete, plane.Of(id, ""), nil, nil); err != nil {
			w.warn(err)
		}
	}
}
