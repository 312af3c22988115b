package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"

	"understudy/test/load/wire"
)

// clientRequests returns the requests that the official client sends for its
// lists, by the name of the list.
func clientRequests(peer string) (map[string][]byte, error) {
	cmd := exec.Command("node", filepath.Join(peer, "requests.mjs"))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var texts map[string]string
	if err := json.Unmarshal(out, &texts); err != nil {
		return nil, err
	}
	sent := map[string][]byte{}
	for name, body := range texts {
		sent[name] = []byte(body)
	}
	return sent, nil
}

// peerPages is how many pages of the newest issues the peer gets: a page costs
// it the same however many lie behind, and so it starts soon.
const peerPages = 20

// exportData writes what the peer serves: the newest issues, and all that they link to.
func (s *subject) exportData(sent map[string][]byte, file string) error {
	type nodes struct {
		Nodes    []json.RawMessage
		PageInfo struct {
			HasNextPage bool
			EndCursor   string
		}
	}
	data := map[string][]json.RawMessage{}
	for name, body := range sent {
		var again struct {
			Query     string         `json:"query"`
			Variables map[string]any `json:"variables"`
		}
		if err := json.Unmarshal(body, &again); err != nil {
			return err
		}
		for range peerPages {
			var got map[string]nodes
			if err := s.query(again.Query, again.Variables, &got); err != nil {
				return err
			}
			data[name] = append(data[name], got[name].Nodes...)
			if !got[name].PageInfo.HasNextPage {
				break
			}
			again.Variables["after"] = got[name].PageInfo.EndCursor
		}
	}
	text, err := json.Marshal(data)
	if err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o600)
}

// sameNodes checks that two servers answer a request with the same issues.
func sameNodes(a, b string, requests [2][]byte) error {
	var got [2]struct {
		Data struct{ Issues struct{ Nodes []any } }
	}
	for i, addr := range []string{a, b} {
		c, err := wire.Dial(addr)
		if err != nil {
			return err
		}
		defer c.Close()
		status, err := c.Do(requests[i])
		if err != nil {
			return err
		}
		if !good(status, c.Body) {
			return fmt.Errorf("%s: status %d: %.300s", addr, status, c.Body)
		}
		if err := json.Unmarshal(c.Body, &got[i]); err != nil {
			return err
		}
	}
	ours, theirs := got[0].Data.Issues.Nodes, got[1].Data.Issues.Nodes
	if len(ours) == 0 || !reflect.DeepEqual(ours, theirs) {
		for i := range min(len(ours), len(theirs)) {
			if !reflect.DeepEqual(ours[i], theirs[i]) {
				return fmt.Errorf("issue %d differs:\n%v\n%v", i, ours[i], theirs[i])
			}
		}
		return fmt.Errorf("%d issues here, %d there", len(ours), len(theirs))
	}
	return nil
}
