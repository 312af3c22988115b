package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"understudy/internal/platform/store/storetest/throwaway"
	"understudy/test/server"
)

// subject is the server under test on one of the databases.
type subject struct {
	*server.Server
	database *throwaway.Server // nil on SQLite
	cred     struct {
		Messaging struct {
			UserToken string `json:"user_token"`
		} `json:"messaging"`
		Tracker struct {
			APIKey string `json:"api_key"`
		} `json:"tracker"`
		CRM struct {
			AccessToken string `json:"access_token"`
		} `json:"crm"`
		Ingest struct {
			APIKey string `json:"api_key"`
		} `json:"ingest"`
	}
}

func start(dir, name string, database *throwaway.Server) (*subject, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	s := &subject{}
	args := []string{"--rate-limits", "off", "--log-level", "warn"}
	if name == "PostgreSQL" {
		s.database = database
		args = append(args, "--database", database.URL)
	}
	var err error
	if s.Server, err = server.Start(server.Options{Dir: dir, Args: args}); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(dir, "credentials.json"))
	if err == nil {
		err = json.Unmarshal(text, &s.cred)
	}
	if err != nil {
		s.Kill()
		return nil, err
	}
	return s, nil
}

// cpu is processor time.
type cpu struct{ server, database time.Duration }

// cpu returns the processor time that server and database have taken so far.
func (s *subject) cpu() (used cpu) {
	used.server = processorTime(s.PID())
	if s.database != nil {
		processes, _ := s.database.Processes()
		used.database = processorTime(processes...)
	}
	return used
}

func processorTime(pids ...int) (sum time.Duration) {
	for _, pid := range pids {
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		_, rest, _ := strings.Cut(string(text), ") ")
		if f := strings.Fields(rest); len(f) > 12 { // utime and stime, in hundredths of a second
			for _, ticks := range f[11:13] {
				n, _ := strconv.ParseInt(ticks, 10, 64)
				sum += time.Duration(n) * 10 * time.Millisecond
			}
		}
	}
	return sum
}

// request makes the bytes of a request.
func (s *subject) request(path, authorization, form string, body []byte) []byte {
	return fmt.Appendf(nil, "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s",
		path, s.Listen, authorization, form, len(body), body)
}

// call makes one call and decodes its reply.
func (s *subject) call(path, authorization, form, body string, into any) error {
	req, err := http.NewRequest(http.MethodPost, s.URL+path, strings.NewReader(body))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", authorization)
	req.Header.Set("Content-Type", form)
	reply, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer reply.Body.Close()
	text, err := io.ReadAll(reply.Body)
	if err != nil {
		return err
	}
	if reply.StatusCode != http.StatusOK || bytes.Contains(text, []byte(`"errors":[`)) {
		return fmt.Errorf("%s: status %d: %.300s", path, reply.StatusCode, text)
	}
	return json.Unmarshal(text, into)
}
