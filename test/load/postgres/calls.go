package main

import (
	"bytes"
	"fmt"
	"strings"
	"sync/atomic"
)

// call is a write that is measured.
type call struct {
	name    string
	callers int
	goal    float64 // the rate on PostgreSQL as a part of that on SQLite; 0 for none
	good    func(status int, body []byte) bool
	prepare func(s *subject) (next func(worker, n int) []byte, err error)
}

func (c call) named(only string) bool { return strings.Contains(c.name, only) }

// The calls whose rates are compared with each other.
const postCall, eventCall = "`chat.postMessage`", "`capture-event`, one event each"

// calls are measured group by group; those of a group take turns.
var calls = [][]call{
	{
		{name: postCall, callers: 64, goal: 0.4, good: starts(200, `{"ok":true`), prepare: posts},
		{name: eventCall, callers: 64, good: starts(200, `{"event_id":`), prepare: events},
	},
	{{name: "`chat.postMessage`, one caller", callers: 1, good: starts(200, `{"ok":true`), prepare: posts}},
	{{name: "`issueCreate`", callers: 64, goal: 0.4, good: starts(200, `{"data":{`), prepare: issues}},
	{{name: "`POST /crm/v3/objects/contacts`", callers: 64, goal: 0.4, good: starts(201, `{"id":"`), prepare: contacts(1)}},
	{{name: "`batch/create` of 100 contacts", callers: 4, good: starts(201, `{`), prepare: contacts(100)}},
}

func starts(status int, head string) func(int, []byte) bool {
	return func(got int, body []byte) bool { return got == status && bytes.HasPrefix(body, []byte(head)) }
}

// number distinguishes what is written in this run.
var number atomic.Int64

const urlencoded, asJSON = "application/x-www-form-urlencoded", "application/json"

func posts(s *subject) (func(worker, n int) []byte, error) {
	token := "Bearer " + s.cred.Messaging.UserToken
	var reply struct{ Channel struct{ ID string } }
	name := fmt.Sprintf("name=bench%d", number.Add(1))
	if err := s.call("/messaging/api/conversations.create", token, urlencoded, name, &reply); err != nil {
		return nil, err
	}
	return func(int, int) []byte {
		return s.request("/messaging/api/chat.postMessage", token, urlencoded,
			fmt.Appendf(nil, "channel=%s&text=message+number+%d+about+nothing+in+particular", reply.Channel.ID, number.Add(1)))
	}, nil
}

func issues(s *subject) (func(worker, n int) []byte, error) {
	const path = "/tracker/graphql"
	var reply struct {
		Data struct {
			TeamCreate struct{ Team struct{ ID string } }
		}
	}
	err := s.call(path, s.cred.Tracker.APIKey, asJSON, `{"query":"mutation { teamCreate(input: {name: \"Bench\", key: \"BEN\"}) { team { id } } }"}`, &reply)
	if err != nil {
		return nil, err
	}
	return func(int, int) []byte {
		return s.request(path, s.cred.Tracker.APIKey, asJSON, fmt.Appendf(nil,
			`{"query":"mutation($input: IssueCreateInput!) { issueCreate(input: $input) { success lastSyncId issue { id } } }","variables":{"input":{"teamId":%q,"title":"Issue number %d of this run"}}}`,
			reply.Data.TeamCreate.Team.ID, number.Add(1)))
	}, nil
}

func events(s *subject) (func(worker, n int) []byte, error) {
	return func(worker, _ int) []byte {
		body := fmt.Appendf(nil, `{"session_id":"0b54a8a4-6b3c-4d0a-9d0e-%012x","event_id":"5f1c9d2e-7a3b-4c8d-9e0f-%012x",`+
			`"primitive_name":"search","args":"{\"query\":\"nothing in particular\"}","result":"{\"found\":3}","success":true,"latency":12}`, worker, number.Add(1))
		return s.request("/ingest/api/v1/capture-event", "Bearer "+s.cred.Ingest.APIKey, asJSON, body)
	}, nil
}

// contacts creates size contacts with each request.
func contacts(size int) func(s *subject) (func(worker, n int) []byte, error) {
	return func(s *subject) (func(worker, n int) []byte, error) {
		path := "/crm/api/crm/v3/objects/contacts"
		if size > 1 {
			path += "/batch/create"
		}
		return func(int, int) []byte {
			var b bytes.Buffer
			for i := range size {
				if i > 0 {
					b.WriteByte(',')
				}
				n := number.Add(1)
				fmt.Fprintf(&b, `{"properties":{"email":"person%d@example.net","firstname":"Ada","lastname":"Number%d","company":"company%d Studio","city":"Berlin","phone":"+49 30 %07d"}}`,
					n, n%1000, n%5000, n)
			}
			body := b.Bytes()
			if size > 1 {
				body = fmt.Appendf(nil, `{"inputs":[%s]}`, body)
			}
			return s.request(path, "Bearer "+s.cred.CRM.AccessToken, asJSON, body)
		}, nil
	}
}
