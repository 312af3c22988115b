// Package e2e runs the binary as a process: it is killed, restarted, refused
// its port, given bad flags and certificates. What the services answer is
// tested elsewhere; here it is whether they are there, and what is kept.
package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
)

var client = &http.Client{Timeout: time.Minute}

// call makes a data-plane call and decodes its reply; a refusal is an error with its code.
func call(c *http.Client, base, token, method string, args url.Values, into any) error {
	req, err := http.NewRequest(http.MethodPost, base+"/api/"+method, strings.NewReader(args.Encode()))
	if err != nil {
		return err
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	resp, err := c.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	var reply struct {
		OK    bool
		Error string
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return fmt.Errorf("status %d: %w", resp.StatusCode, err)
	}
	if !reply.OK {
		return fmt.Errorf("%s: %s", method, reply.Error)
	}
	if into == nil {
		return nil
	}
	return json.Unmarshal(body, into)
}

// get returns status and body of a plain GET.
func get(t *testing.T, c *http.Client, url string) (int, string) {
	t.Helper()
	resp, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// makeChannel returns the id of a new channel.
func makeChannel(t *testing.T, base, token, name string) string {
	t.Helper()
	var reply struct{ Channel struct{ ID string } }
	if err := call(client, base, token, "conversations.create", url.Values{"name": {name}}, &reply); err != nil {
		t.Fatal(err)
	}
	return reply.Channel.ID
}

// readAll returns every message of a channel by its ts.
func readAll(t *testing.T, base, token, channel string) map[string]string {
	t.Helper()
	all := map[string]string{}
	args := url.Values{"channel": {channel}, "limit": {"999"}}
	for {
		var page struct {
			Messages []struct{ TS, Text string }
			Metadata struct {
				Next string `json:"next_cursor"`
			} `json:"response_metadata"`
		}
		if err := call(client, base, token, "conversations.history", args, &page); err != nil {
			t.Fatal(err)
		}
		for _, m := range page.Messages {
			if _, twice := all[m.TS]; twice {
				t.Errorf("ts %s is listed twice", m.TS)
			}
			all[m.TS] = m.Text
		}
		if page.Metadata.Next == "" {
			return all
		}
		args.Set("cursor", page.Metadata.Next)
	}
}
