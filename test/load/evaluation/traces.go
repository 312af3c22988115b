package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"understudy/test/server"
)

// The session of which trace measures the trace and the tree.
const (
	tracedEvents   = 1000 // turns, each with tracedTools calls of tools
	tracedTools    = 9
	callsOfAnEvent = 5
	traceRounds    = 15
	session        = "7d9f7c0e-3b0c-4a55-9d0c-3f5a6f1d2b40"
)

// trace measures the trace of a session, and the session's tree for comparison. Each event
// of the session caused callsOfAnEvent requests, most of which wrote something.
func (p *plane) trace() error {
	var world server.Credentials
	err := p.call("POST", "/memory/fork", map[string]any{"id": "traced", "recordings": "full", "rate_limits": "off"}, &world, 201)
	if err == nil {
		err = p.act(&world)
	}
	if err == nil {
		err = p.reportSteps(&world)
	}
	for range traceRounds {
		if err != nil {
			return err
		}
		err = p.timed("tree of a session of 1,000 events", func() error {
			return server.Call(p.http, "GET", world.Ingest.BaseURL+"/api/v1/sessions/"+session, world.Ingest.APIKey, nil, nil, 200)
		})
		if err == nil {
			err = p.timed("its trace with 5,000 requests", func() error { return p.call("GET", "/traced/trace/"+session, nil, nil, 200) })
		}
	}
	return err
}

// act makes the requests of all events from four goroutines. The requests of an event are
// three posts, a new contact and a read.
func (p *plane) act(world *server.Credentials) error {
	events := make(chan int)
	failed := make(chan error, 4)
	var wg sync.WaitGroup
	for range cap(failed) {
		wg.Go(func() {
			for n := range events {
				if err := p.callsOf(world, n); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	var err error
	for n := 0; n < tracedEvents && err == nil; n++ {
		select {
		case events <- n:
		case err = <-failed:
		}
	}
	close(events)
	wg.Wait()
	return err
}

func (p *plane) callsOf(world *server.Credentials, n int) error {
	messaging, crm := world.Messaging.BaseURL+"/api/", world.CRM.BaseURL+"/api/crm/v3/objects/contacts"
	for call := range callsOfAnEvent {
		method, url, key := "POST", messaging+"chat.postMessage", world.Messaging.BotToken
		var body any = map[string]any{"channel": "general", "text": fmt.Sprintf("Step %d, call %d: the import of the second file is done.", n, call)}
		switch call {
		case 3:
			url, key, body = crm, world.CRM.AccessToken, map[string]any{"properties": map[string]any{"email": fmt.Sprintf("step-%d@bench.example", n), "firstname": "Step"}}
		case 4:
			method, url, key, body = "GET", crm+"?limit=5", world.CRM.AccessToken, nil
		}
		if err := send(p.http, method, url, key, traceparent(n), body); err != nil {
			return err
		}
	}
	return nil
}

// reportSteps captures the events of the session, a hundred with each request.
func (p *plane) reportSteps(world *server.Credentials) error {
	var batch []map[string]any
	for n := range tracedEvents {
		event := map[string]any{"event_id": stepID(n), "session_id": session, "primitive_name": "step", "primitive_type": "tool", "args": `{"file": 2}`, "result": "done",
			"success": true, "latency": 20, "timestamp": time.Now().UnixMilli(), "metadata": map[string]any{"traceparent": traceparent(n)}}
		if n%(tracedTools+1) == 0 {
			event["primitive_type"], event["input_tokens"], event["output_tokens"] = "", 900, 80
		} else {
			event["parent_id"] = stepID(n - n%(tracedTools+1))
		}
		if batch = append(batch, event); len(batch) < 100 {
			continue
		}
		if err := server.Call(p.http, "POST", world.Ingest.BaseURL+"/api/v1/capture-events", world.Ingest.APIKey, map[string]any{"events": batch}, nil, 202); err != nil {
			return err
		}
		batch = nil
	}
	return nil
}

func stepID(n int) string      { return fmt.Sprintf("00000000-0000-4000-8000-%012d", n) }
func traceparent(n int) string { return fmt.Sprintf("00-%032x-%016x-01", 0xbe7c4, n+1) }

// send sends a request with a traceparent and a body as JSON, without a body if body is nil.
// It returns an error for a status of 300 or more.
func send(c *http.Client, method, url, key, parent string, body any) error {
	var text bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&text).Encode(body); err != nil {
			return err
		}
	}
	r, err := http.NewRequest(method, url, &text)
	if err != nil {
		return err
	}
	r.Header.Set("Authorization", "Bearer "+key)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Traceparent", parent)
	reply, err := c.Do(r)
	if err != nil {
		return err
	}
	defer func() { _ = reply.Body.Close() }()
	answer, err := io.ReadAll(reply.Body)
	if err == nil && reply.StatusCode >= 300 {
		err = fmt.Errorf("%s %s: status %d: %.300s", method, url, reply.StatusCode, answer)
	}
	return err
}
