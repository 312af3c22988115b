package app_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
)

// crowd is a world in which several agents write at once.
type crowd struct {
	w     world
	o     *witnessed
	hooks string

	mu                            sync.Mutex
	contacts, companies           []string
	issues, comments              []string
	channel, team, label, session string
	events                        int
}

// writer is one of the agents.
type writer struct {
	*crowd
	r      *rand.Rand
	token  string   // of messaging
	person bool     // a session of a user, not a token of an app
	user   string   // its id
	mine   []string // the messages that it posted, as "channel/ts"
}

// pick returns one of a list that all writers share, "" of an empty one.
func (w *writer) pick(list *[]string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(*list) == 0 {
		return ""
	}
	return (*list)[w.r.IntN(len(*list))]
}

// take removes what pick would return.
func (w *writer) take(list *[]string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(*list) == 0 {
		return ""
	}
	i := w.r.IntN(len(*list))
	one := (*list)[i]
	*list = slices.Delete(*list, i, i+1)
	return one
}

func (w *writer) put(list *[]string, one string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	*list = append(*list, one)
}

// chat makes a call of messaging. ok is false when the service refuses it, as it
// does when another writer was faster.
func (w *writer) chat(method string, args object, marks ...string) (answer, bool) {
	a := plane{w.w.Plane}.send("POST", w.w.Credential("messaging", "base_url")+"/api/"+method, w.token, args)
	if a.status != 200 {
		w.w.T.Errorf("%s answers %d %v", method, a.status, a.body)
	}
	ok := a.body["ok"] == true
	if ok {
		w.o.made(a, "messaging."+method, marks...)
		w.o.person(a, w.person)
	}
	return a, ok
}

func (w *writer) records(method, path, operation string, body any, marks ...string) (answer, bool) {
	a := plane{w.w.Plane}.send(method, w.w.Credential("crm", "base_url")+"/api"+path, w.w.Credential("crm", "access_token"), body)
	if a.status >= 500 {
		w.w.T.Errorf("%s %s answers %d %v", method, path, a.status, a.body)
	}
	if ok := a.status < 300; !ok {
		return a, false
	}
	w.o.made(a, "crm."+operation, marks...)
	return a, true
}

func (w *writer) graph(operation, query string, variables object, marks ...string) (answer, bool) {
	a := plane{w.w.Plane}.send("POST", w.w.Credential("tracker", "base_url")+"/graphql", w.w.Credential("tracker", "api_key"), object{"query": query, "variables": variables})
	if a.status != 200 || a.body["errors"] != nil {
		return a, false
	}
	w.o.made(a, operation, marks...)
	return a, true
}

func (w *writer) report(path string, body object, marks ...string) answer {
	a := plane{w.w.Plane}.send("POST", w.w.Credential("ingest", "base_url")+"/api/v1/"+path, w.w.Credential("ingest", "api_key"), body)
	if a.status >= 300 {
		w.w.T.Errorf("%s answers %d %v", path, a.status, a.body)
	}
	w.o.made(a, "ingest."+path, marks...)
	return a
}

func (w *writer) postMessage() {
	m, args := w.o.mark(), object{"channel": w.channel}
	args["text"] = m
	parent := ""
	if len(w.mine) > 0 && w.r.IntN(3) == 0 {
		parent = w.mine[w.r.IntN(len(w.mine))]
		_, args["thread_ts"], _ = strings.Cut(parent, "/")
	}
	a, ok := w.chat("chat.postMessage", args, m)
	if !ok {
		return
	}
	one := fmt.Sprint(a.body["channel"], "/", a.body["ts"])
	w.o.touch(a, "messaging message "+one)
	w.o.maybe(a, "messaging member "+w.channel+"/"+w.user) // has read the channel
	if parent != "" {
		w.o.maybe(a, "messaging message "+parent)
	} else {
		w.mine = append(w.mine, one)
	}
}

func (w *writer) changeMessage() {
	if len(w.mine) == 0 {
		return
	}
	i := w.r.IntN(len(w.mine))
	channel, ts, _ := strings.Cut(w.mine[i], "/")
	args := object{"channel": channel, "ts": ts}
	switch w.r.IntN(4) {
	case 0:
		if a, ok := w.chat("chat.delete", args); ok {
			w.o.touch(a, "messaging message "+w.mine[i])
			w.o.maybe(a, "messaging reaction "+w.mine[i]+"/*")
			w.mine = slices.Delete(w.mine, i, i+1)
		}
	case 1:
		args = object{"channel": channel, "timestamp": ts, "name": []string{"eyes", "tada", "wave"}[w.r.IntN(3)]}
		if a, ok := w.chat("reactions.add", args); ok {
			w.o.touch(a, fmt.Sprint("messaging reaction ", w.mine[i], "/", args["name"], "/", w.user))
		}
	default:
		m := w.o.mark()
		args["text"] = m
		if a, ok := w.chat("chat.update", args, m); ok {
			w.o.touch(a, "messaging message "+w.mine[i], "text")
		}
	}
}

func (w *writer) changeChannel() {
	m := w.o.mark()
	if w.r.IntN(3) > 0 {
		method, field := "conversations.setTopic", "topic"
		if w.r.IntN(2) == 0 {
			method, field = "conversations.setPurpose", "purpose"
		}
		if a, ok := w.chat(method, object{"channel": w.channel, field: m}, m); ok {
			w.o.touch(a, "messaging channel "+w.channel, field+".value")
		}
		return
	}
	if a, ok := w.chat("conversations.create", object{"name": m}, m); ok {
		id := fmt.Sprint(at(a.body, "channel", "id"))
		w.o.touch(a, "messaging channel "+id)
		w.o.touch(a, "messaging member "+id+"/"+w.user)
		w.o.maybe(a, "messaging message "+id+"/*") // that its creator joined
	}
}

func (w *writer) createRecords() {
	m := w.o.mark()
	contact := func(m string) object {
		return object{"properties": object{"email": m + "@example.com", "firstname": m}}
	}
	switch w.r.IntN(4) {
	case 0:
		more := []string{m, w.o.mark(), w.o.mark()}
		inputs := []object{}
		for _, m := range more {
			inputs = append(inputs, contact(m))
		}
		a, ok := w.records("POST", "/crm/v3/objects/contacts/batch/create", "POST /crm/v3/objects/{objectType}/batch/create", object{"inputs": inputs}, more...)
		if !ok {
			w.w.T.Errorf("a batch: %v", a.body)
			return
		}
		for _, x := range a.body["results"].([]any) {
			w.o.touch(a, "crm contact "+at(x, "id").(string))
			w.put(&w.contacts, at(x, "id").(string))
		}
	case 1:
		company := w.pick(&w.companies)
		body := object{"properties": object{"subject": m, "hs_pipeline_stage": "1"},
			"associations": []object{{"to": object{"id": company}, "types": []object{{"associationCategory": "HUBSPOT_DEFINED", "associationTypeId": 339}}}}}
		a, ok := w.records("POST", "/crm/v3/objects/tickets", "POST /crm/v3/objects/{objectType}", body, m)
		if !ok {
			w.w.T.Errorf("a ticket: %v", a.body)
			return
		}
		id := a.body["id"].(string)
		w.o.touch(a, "crm ticket "+id)
		w.o.maybe(a, "crm company "+company)
		for _, key := range []string{"tickets/" + id + "/companies/" + company + "/339", "companies/" + company + "/tickets/" + id + "/340"} {
			w.o.touch(a, "crm association "+key)
		}
	default:
		if a, ok := w.records("POST", "/crm/v3/objects/contacts", "POST /crm/v3/objects/{objectType}", contact(m), m); ok {
			w.o.touch(a, "crm contact "+a.body["id"].(string))
			w.put(&w.contacts, a.body["id"].(string))
		} else {
			w.w.T.Errorf("a contact: %v", a.body)
		}
	}
}

func (w *writer) changeRecord() {
	m, property := w.o.mark(), []string{"firstname", "lastname", "phone", "jobtitle"}[w.r.IntN(4)]
	switch w.r.IntN(6) {
	case 0:
		id := w.take(&w.contacts)
		if a, ok := w.records("DELETE", "/crm/v3/objects/contacts/"+id, "DELETE /crm/v3/objects/{objectType}/{objectId}", nil); ok {
			w.o.touch(a, "crm contact "+id)
			for _, company := range w.companies {
				w.o.maybe(a, associations(id, company)...)
			}
		}
	case 1:
		contact, company := w.pick(&w.contacts), w.pick(&w.companies)
		path := "/crm/v4/objects/contact/" + contact + "/associations/default/company/" + company
		if a, ok := w.records("PUT", path, "PUT /crm/v4/objects/{objectType}/{objectId}/associations/default/{toObjectType}/{toObjectId}", nil); ok {
			w.o.maybe(a, append(associations(contact, company), "crm contact "+contact, "crm company "+company)...)
		}
	case 2:
		ids := []string{w.pick(&w.contacts), w.pick(&w.contacts)}
		if ids[0] == ids[1] {
			return
		}
		inputs := []object{{"id": ids[0], "properties": object{property: m}}, {"id": ids[1], "properties": object{property: m}}}
		if a, ok := w.records("POST", "/crm/v3/objects/contacts/batch/update", "POST /crm/v3/objects/{objectType}/batch/update", object{"inputs": inputs}, m); ok {
			for _, x := range a.body["results"].([]any) {
				w.o.touch(a, "crm contact "+at(x, "id").(string), "properties."+property)
			}
		}
	default:
		id := w.pick(&w.contacts)
		if a, ok := w.records("PATCH", "/crm/v3/objects/contacts/"+id, "PATCH /crm/v3/objects/{objectType}/{objectId}", object{"properties": object{property: m}}, m); ok {
			w.o.touch(a, "crm contact "+id, "properties."+property)
		}
	}
}

// associations returns both directions of the one between a contact and a company.
func associations(contact, company string) []string {
	return []string{"crm association contacts/" + contact + "/companies/" + company + "/279", "crm association companies/" + company + "/contacts/" + contact + "/280"}
}

func (w *writer) createIssue() {
	m, second := w.o.mark(), w.o.mark()
	input := func(m string) object { return object{"teamId": w.team, "title": m} }
	query, variables, name := `mutation($i: IssueCreateInput!) {issueCreate(input: $i) {issue {id}}}`, object{"i": input(m)}, "tracker.issueCreate"
	if w.r.IntN(3) == 0 {
		query = `mutation($i: IssueCreateInput!, $j: IssueCreateInput!) {issueCreate(input: $i) {issue {id}} b: issueCreate(input: $j) {issue {id}}}`
		variables["j"], name = input(second), "tracker.issueCreate,tracker.issueCreate"
	}
	a, ok := w.graph(name, query, variables, m, second)
	if !ok {
		w.w.T.Errorf("an issue: %v", a.body)
		return
	}
	for _, made := range a.body["data"].(map[string]any) {
		id := at(made, "issue", "id").(string)
		w.o.touch(a, "tracker issue "+id)
		w.put(&w.issues, id)
	}
	w.o.maybe(a, "tracker team "+w.team)
}

func (w *writer) changeIssue() {
	m, id := w.o.mark(), w.pick(&w.issues)
	update := func(input object, field string) {
		if a, ok := w.graph("tracker.issueUpdate", `mutation($id: String!, $i: IssueUpdateInput!) {issueUpdate(id: $id, input: $i) {success}}`, object{"id": id, "i": input}, m); ok {
			w.o.touch(a, "tracker issue "+id, field)
		}
	}
	switch w.r.IntN(6) {
	case 0:
		update(object{"description": m}, "description")
	case 1:
		if a, ok := w.graph("tracker.issueUpdate", `mutation($id: String!, $i: IssueUpdateInput!) {issueUpdate(id: $id, input: $i) {success}}`,
			object{"id": id, "i": object{"priority": 1 + w.r.IntN(4)}}); ok {
			w.o.maybe(a, "tracker issue "+id) // it may have the same priority as before
		}
	case 2:
		if a, ok := w.graph("tracker.commentCreate", `mutation($i: CommentCreateInput!) {commentCreate(input: $i) {comment {id}}}`, object{"i": object{"issueId": id, "body": m}}, m); ok {
			comment := at(a.body, "data", "commentCreate", "comment", "id").(string)
			w.o.touch(a, "tracker comment "+comment)
			w.o.maybe(a, "tracker issue "+id)
			w.put(&w.comments, comment)
		}
	case 3:
		comment := w.take(&w.comments)
		if comment == "" {
			return
		}
		if w.r.IntN(2) == 0 {
			if a, ok := w.graph("tracker.commentDelete", `mutation($id: String!) {commentDelete(id: $id) {success}}`, object{"id": comment}); ok {
				w.o.touch(a, "tracker comment "+comment)
			}
			return
		}
		if a, ok := w.graph("tracker.commentUpdate", `mutation($id: String!, $b: String!) {commentUpdate(id: $id, input: {body: $b}) {success}}`, object{"id": comment, "b": m}, m); ok {
			w.o.touch(a, "tracker comment "+comment, "body")
		}
		w.put(&w.comments, comment)
	case 4:
		if a, ok := w.graph("tracker.issueAddLabel", `mutation($id: String!, $l: String!) {issueAddLabel(id: $id, labelId: $l) {success}}`, object{"id": id, "l": w.label}); ok {
			w.o.maybe(a, "tracker issue "+id)
		}
	default:
		update(object{"title": m}, "title")
	}
}

func (w *writer) reportEvents() {
	event := func(m string) object {
		w.mu.Lock()
		w.events++
		n := w.events
		w.mu.Unlock()
		return object{"org_id": w.w.Credential("ingest", "organization_id"), "event_id": fmt.Sprintf("00000000-0000-4000-8000-%012d", n), "session_id": w.session,
			"primitive_type": "tool", "primitive_name": "search", "latency": 5, "success": true, "args": `"` + m + `"`, "result": "{}", "timestamp": 1767225600000}
	}
	path, events, marks := "capture-event", []object{}, []string{}
	for range 1 + 2*w.r.IntN(2) {
		m := w.o.mark()
		events, marks = append(events, event(m)), append(marks, m)
	}
	body := events[0]
	if len(events) > 1 {
		path, body = "capture-events", object{"events": events}
	}
	a := w.report(path, body, marks...)
	for _, e := range events {
		w.o.touch(a, "ingest event "+e["event_id"].(string))
	}
	w.o.maybe(a, "ingest session "+w.session)
	w.o.maybe(answer{id: "system"}, "ingest session "+w.session) // sums are written behind the reports
}

// write does one thing at random.
func (w *writer) write() {
	all := []func(){w.postMessage, w.changeMessage, w.changeMessage, w.changeChannel, w.createRecords, w.changeRecord, w.changeRecord, w.createIssue, w.changeIssue, w.changeIssue, w.reportEvents}
	all[w.r.IntN(len(all))]()
}

// crowd returns a world with something of everything, whose messages and issues
// are delivered to a receiver.
func (p plane) crowd(o *witnessed) *crowd {
	w := p.world(p.Call("POST", "", object{"fixture": "demo", "rate_limits": "off"}, 201))
	c := &crowd{w: w, o: o, hooks: newReceiver(p.T).URL, channel: w.channel("general"), session: "00000000-0000-4000-8000-aaaaaaaaaaaa"}
	p.send("POST", w.Credential("messaging", "base_url")+"/api/webhooks/outgoing", w.Credential("messaging", "user_token"), object{"url": c.hooks + "/m"})
	p.send("POST", w.Credential("tracker", "base_url")+"/api/webhooks", w.Credential("tracker", "api_key"), object{"url": c.hooks + "/t"})
	made := w.GraphQL(`mutation {teamCreate(input: {name: "Crowd", key: "CRO"}) {team {id}} issueLabelCreate(input: {name: "crowded"}) {issueLabel {id}}}`, nil)
	c.team, c.label = at(made, "teamCreate", "team", "id").(string), at(made, "issueLabelCreate", "issueLabel", "id").(string)
	for i := range 3 {
		c.companies = append(c.companies, w.CRM("POST", "objects/companies", object{"properties": object{"name": fmt.Sprint("Company ", i)}}, 201)["id"].(string))
	}
	w.Do("ingest", "POST", "/api/v1/capture-session", w.Credential("ingest", "api_key"), object{"org_id": w.Credential("ingest", "organization_id"), "session_id": c.session,
		"client_config": "test", "ip": "", "connection_type": "http", "user_data": object{"user_id": "u1"}}, 200)
	return c
}

// writers returns agents of the world, each with a user of its own.
func (c *crowd) writers(seed uint64) (out []*writer) {
	for i, name := range []string{"", "jon.abel", "lena.park", "tom.okafor"} {
		w := &writer{crowd: c, r: rand.New(rand.NewPCG(seed, uint64(i))), token: c.w.Credential("messaging", "bot_token")}
		if name != "" {
			w.person = true
			w.token = c.w.Call("POST", "/"+c.w.ID+"/people/messaging/"+name+"/session", object{}, 201)["token"].(string)
		}
		a, _ := w.chat("auth.test", object{})
		w.user = fmt.Sprint(a.body["user_id"])
		out = append(out, w)
	}
	return out
}
