package app_test

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
)

// touch is what one request did to one thing, as the test that made the request
// knows it.
type touch struct {
	request string   // its id
	fields  []string // of an update: those it was asked to change; nil for all
	maybe   bool     // a side effect, such as the count of answers in a message
}

// witnessed is what the requests of a test did, by "service entity key", where a
// last part "*" stands for all, and which request wrote which mark. Every text that a request writes is a mark.
type witnessed struct {
	mu      sync.Mutex
	touches map[string][]touch
	marks   map[string]string   // the ids of requests
	wrote   map[string][]string // by request: the things that it wrote for certain
	names   map[string]string   // by request: its operation
	people  map[string]bool     // requests of people
	last    int
}

func newWitnessed() *witnessed {
	return &witnessed{touches: map[string][]touch{}, marks: map[string]string{}, wrote: map[string][]string{}, names: map[string]string{}, people: map[string]bool{}}
}

// mark returns a text that no other request writes.
func (o *witnessed) mark() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.last++
	return fmt.Sprintf("qw%dz", o.last)
}

var markText = regexp.MustCompile(`qw\d+z`)

// made notes that a request wrote some marks.
func (o *witnessed) made(a answer, operation string, marks ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.names[a.id] = operation
	for _, m := range marks {
		o.marks[m] = a.id
	}
}

func (o *witnessed) person(a answer, is bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.people[a.id] = is
}

func (o *witnessed) touch(a answer, key string, fields ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.touches[key] = append(o.touches[key], touch{a.id, fields, false})
	o.wrote[a.id] = append(o.wrote[a.id], key)
}

func (o *witnessed) maybe(a answer, keys ...string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, key := range keys {
		o.touches[key] = append(o.touches[key], touch{a.id, nil, true})
	}
}

// kind returns the kind of actor that made a request.
func (o *witnessed) kind(request string) string {
	if o.people[request] {
		return "person"
	}
	return "agent"
}

// begin forgets which things were written: it stands for the state that a later
// diff compares with.
func (o *witnessed) begin() {
	clear(o.touches)
	clear(o.wrote)
}

// authors returns the requests whose marks stand in a value.
func (o *witnessed) authors(v any) (requests []string) {
	text, _ := json.Marshal(v)
	for _, m := range markText.FindAllString(string(text), -1) {
		if id, known := o.marks[m]; known && !slices.Contains(requests, id) {
			requests = append(requests, id)
		}
	}
	return requests
}

// check compares the causes of a change with what the test knows. whole says
// that every request of the test belongs to the time of the diff.
func (o *witnessed) check(t *testing.T, op string, change any, whole bool) {
	t.Helper()
	key := fmt.Sprint(at(change, "service"), " ", at(change, "entity"), " ", at(change, "key"))
	exact := at(change, "exact") == true
	var writers []string
	fields := map[string][]string{}
	for _, w := range at(change, "cause").([]any) {
		id := at(w, "request_id").(string)
		if id == "" {
			id = at(w, "actor", "kind").(string)
		} else if kind := at(w, "actor", "kind"); kind != o.kind(id) {
			t.Errorf("%s: %s is the request of %v", key, id, kind)
		}
		writers = append(writers, id)
		if list, ok := at(w, "fields").([]any); ok {
			fields[id] = []string{}
			for _, f := range list {
				fields[id] = append(fields[id], f.(string))
			}
		}
		if o.names[id] != "" && at(w, "operation") != o.names[id] {
			t.Errorf("%s: request %s is %v, not %s", key, id, at(w, "operation"), o.names[id])
		}
	}
	var changed []string
	if list, ok := at(change, "changed").([]any); ok {
		for _, f := range list {
			changed = append(changed, f.(string))
		}
	}
	complain := func(format string, args ...any) {
		t.Helper()
		t.Errorf("%s %s: %s; the cause is %v, exact %v", op, key, fmt.Sprintf(format, args...), writers, exact)
	}
	must, may := []string{}, o.authors(at(change, "after"))
	touches := o.touches[key]
	for prefix := key; strings.Contains(prefix, "/"); {
		prefix = prefix[:strings.LastIndex(prefix, "/")]
		touches = append(touches, o.touches[prefix+"/*"]...)
	}
	for _, x := range touches {
		may = append(may, x.request)
		matters := op != "update" || x.fields == nil || slices.ContainsFunc(x.fields, func(f string) bool { return slices.Contains(changed, f) })
		if whole && !x.maybe && matters && !slices.Contains(must, x.request) {
			must = append(must, x.request)
		}
	}
	if len(may) == 0 {
		complain("the test knows of no request that wrote it")
	}
	for _, id := range must {
		if !slices.Contains(writers, id) {
			complain("request %s, %s, is missing", id, o.names[id])
		}
	}
	after, _ := at(change, "after").(map[string]any)
	for field, value := range after {
		if op == "update" && !slices.Contains(changed, field) {
			continue
		}
		authors := o.authors(value)
		for _, id := range authors {
			if !slices.Contains(writers, id) {
				complain("%s is the work of %s, which is missing", field, id)
			}
		}
		if !exact || len(authors) != 1 {
			continue
		}
		for _, id := range writers { // the last to write a field wrote what it says
			if list, known := fields[id]; known && slices.Contains(list, field) {
				if id != authors[0] {
					complain("%s wrote %s last, not %s", authors[0], field, id)
				}
				break
			}
		}
	}
	if !exact {
		return
	}
	for _, id := range writers {
		if !slices.Contains(may, id) {
			complain("%s, %s, did not write it", id, o.names[id])
		}
	}
}

// touched reports whether a request had to do with a thing, by a part of its key.
func (o *witnessed) touched(request, part string) bool {
	for key, list := range o.touches {
		if strings.Contains(key, part) && slices.ContainsFunc(list, func(x touch) bool { return x.request == request }) {
			return true
		}
	}
	return false
}

// checkEvents checks that each event names a request that had to do with what the
// event is about, and that everything that publishes events has one.
func (o *witnessed) checkEvents(t *testing.T, events []any) {
	t.Helper()
	published := map[string]bool{}
	for _, e := range events {
		request, _ := at(e, "cause", "request_id").(string)
		if len(o.wrote[request]) == 0 {
			continue // of what was before, or a side effect alone
		}
		service, key := at(e, "service").(string), at(e, "key").(string)
		published[service+" "+request] = true
		if at(e, "cause", "operation") != o.names[request] || at(e, "cause", "actor", "kind") != o.kind(request) || !o.touched(request, key) {
			t.Errorf("%s %v of %s is caused by %v, request %s, which wrote %v", service, at(e, "type"), key, at(e, "cause", "operation"), request, o.wrote[request])
		}
	}
	for request, keys := range o.wrote {
		for _, key := range keys {
			for _, kind := range []string{"messaging message ", "messaging reaction ", "tracker issue ", "tracker comment "} {
				if service, _, _ := strings.Cut(key, " "); strings.HasPrefix(key, kind) && !published[service+" "+request] {
					t.Errorf("%s of %s has no event", o.names[request], key)
				}
			}
		}
	}
}

// checkDeliveries checks that what is sent holds the work of the request that is
// named as its cause.
func (o *witnessed) checkDeliveries(t *testing.T, p plane, env string) {
	t.Helper()
	checked := 0
	for _, d := range p.pages("/"+env+"/deliveries?", "deliveries") {
		request, _ := at(d, "cause", "request_id").(string)
		if request != at(d, "request_id") {
			t.Errorf("%v is caused by %s, and by %v", at(d, "id"), request, at(d, "request_id"))
		}
		marked := false
		for _, id := range o.marks {
			marked = marked || id == request
		}
		if !marked || o.names[request] == "messaging.conversations.create" || checked >= 60 { // that its creator joined is sent
			continue
		}
		checked++
		body := p.Call("GET", fmt.Sprintf("/%s/deliveries/%v", env, at(d, "id")), nil, 200)["body"]
		if !slices.Contains(o.authors(body), request) {
			t.Errorf("a delivery caused by %s %s holds %v", o.names[request], request, body)
		}
	}
	if checked < 20 {
		t.Errorf("only %d deliveries were checked", checked)
	}
}

// checkEffects checks that requests name what they wrote.
func (o *witnessed) checkEffects(t *testing.T, p plane, env string) {
	t.Helper()
	checked := 0
	for _, r := range p.pages("/"+env+"/requests?", "requests") {
		id := at(r, "id").(string)
		if len(o.wrote[id]) == 0 || checked >= 60 {
			continue
		}
		checked++
		var changed []string
		unknown := false
		for _, c := range at(p.Call("GET", fmt.Sprintf("/%s/requests/%v", env, at(r, "seq")), nil, 200), "effects", "changes").([]any) {
			if at(c, "key") == nil {
				unknown = true // gone since
				continue
			}
			changed = append(changed, fmt.Sprint(at(c, "service"), " ", at(c, "entity"), " ", at(c, "key")))
		}
		for _, key := range o.wrote[id] {
			if !slices.Contains(changed, key) && !unknown {
				t.Errorf("%s %s changed %v, not %s", o.names[id], id, changed, key)
			}
		}
	}
}
