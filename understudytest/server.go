package understudytest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"

	"understudy/internal/app"
	"understudy/internal/platform/config"
)

// server is what the worlds of this process are forked in.
type server struct {
	*plane
	stop func() // ends it; nil for one that ran before

	mu    sync.Mutex
	bases map[string]*base // by what they are made of
}

// base is an environment that worlds are forked from.
type base struct {
	once sync.Once
	id   string
	err  error
}

var (
	starting sync.Mutex
	running  *server
)

// theServer returns the server of this process; the first call finds or starts it.
func theServer() (*server, error) {
	starting.Lock()
	defer starting.Unlock()
	if running != nil {
		return running, nil
	}
	s, err := open()
	if err == nil {
		running = s
	}
	return s, err
}

// Stop ends the server of this process and removes its data; of one that ran
// before, it deletes what the worlds were forked from. Call it in TestMain after
// m.Run. Without it, the next process that starts a server removes the data.
func Stop() {
	starting.Lock()
	defer starting.Unlock()
	if running == nil {
		return
	}
	if running.stop != nil {
		running.stop()
	} else {
		for _, b := range running.bases {
			_ = running.call("DELETE", "/environments/"+b.id, nil, nil)
		}
	}
	running = nil
}

// open returns the server that the environment variables name, or starts one.
func open() (*server, error) {
	url, key := os.Getenv("UNDERSTUDY_ADMIN_URL"), os.Getenv("UNDERSTUDY_ADMIN_KEY")
	if url == "" {
		return start()
	}
	if key == "" {
		return nil, errors.New("UNDERSTUDY_ADMIN_URL is set: UNDERSTUDY_ADMIN_KEY must hold the key of that admin plane")
	}
	return &server{plane: newPlane(url, key), bases: map[string]*base{}}, nil
}

// start runs a server in this process, with a data folder of its own.
func start() (*server, error) {
	removeAbandoned()
	data, err := os.MkdirTemp("", dataPrefix)
	if err != nil {
		return nil, err
	}
	log := slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError}))
	ctx, cancel := context.WithCancel(context.Background())
	a, err := app.New(ctx, config.Serve{Listen: "127.0.0.1:0", Data: data, Mode: "api", RateLimits: "off", LogLevel: "error", LogFormat: "text"}, log)
	if err != nil {
		cancel()
		_ = os.RemoveAll(data)
		return nil, fmt.Errorf("understudy did not start: %w", err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := a.Run(ctx); err != nil {
			log.Error("understudy ended", "error", err)
		}
	}()
	s := &server{bases: map[string]*base{}, stop: func() {
		cancel()
		<-ended
		_ = os.RemoveAll(data)
	}}
	var c struct {
		Admin struct {
			BaseURL string `json:"base_url"`
			Key     string `json:"key"`
		} `json:"admin"`
	}
	text, err := os.ReadFile(a.CredentialsPath())
	if err == nil {
		err = json.Unmarshal(text, &c)
	}
	if err != nil {
		s.stop()
		return nil, err
	}
	s.plane = newPlane(c.Admin.BaseURL, c.Admin.Key)
	return s, nil
}

// dataPrefix begins the names of data folders below the system's folder for temporary files.
const dataPrefix = "understudytest-"

// removeAbandoned removes the data folders of processes that have ended.
func removeAbandoned() {
	folders, _ := filepath.Glob(filepath.Join(os.TempDir(), dataPrefix+"*"))
	for _, folder := range folders {
		if app.Abandoned(folder) {
			_ = os.RemoveAll(folder)
		}
	}
}

// base returns the id of an environment that is made with these members, once for equal ones.
func (s *server) base(made map[string]any) (string, error) {
	key, err := json.Marshal(made) // sorted by name
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	b := s.bases[string(key)]
	if b == nil {
		b = &base{}
		s.bases[string(key)] = b
	}
	s.mu.Unlock()
	b.once.Do(func() {
		body := map[string]any{"rate_limits": "off", "ephemeral": true, "ttl_seconds": 86_400, "name": "base of tests"}
		for name, value := range made {
			body[name] = value
		}
		var reply struct{ ID string }
		b.err = s.call("POST", "/environments", body, &reply)
		b.id = reply.ID
	})
	return b.id, b.err
}
