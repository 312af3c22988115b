package record

import "net/http"

// Actor is what kind of caller made a request.
type Actor uint8

// The kinds of callers.
const (
	Agent  Actor = iota // whoever holds a token or secret URL of the world, or nothing
	Person              // a session that the admin plane gave out
	Admin               // the admin plane's key
	System              // no request at all: work in the background
)

var actors = [...]string{"agent", "person", "admin", "system"}

// String returns the name that replies and filters use.
func (a Actor) String() string { return actors[a] }

// ParseActor returns the actor of a name, and whether there is one.
func ParseActor(name string) (Actor, bool) {
	for i, known := range actors {
		if known == name {
			return Actor(i), true
		}
	}
	return 0, false
}

// Actors returns the names of all actors.
func Actors() []string { return actors[:] }

// Caller is who makes a request, as far as the service found out.
type Caller struct {
	Principal string // a text for people
	ID        string // the user within the service, or the token where there is no user
	Actor     Actor
}

// SetCaller adds to the recording who calls. It does nothing for a writer that
// is no Tap.
func SetCaller(w http.ResponseWriter, c Caller) {
	t, ok := w.(*Tap)
	if !ok {
		return
	}
	t.caller = c
	if outer := t.parent; outer != nil {
		outer.mu.Lock()
		if outer.caller.Principal == "" {
			outer.caller = c
		}
		outer.mu.Unlock()
	}
}

// SetPrincipal is SetCaller for an agent of whom only a text is known.
func SetPrincipal(w http.ResponseWriter, principal string) {
	SetCaller(w, Caller{Principal: principal, ID: principal})
}

// SetOperations adds to the recording what was asked, by the names that the
// upstream has for it. The list must not be changed afterwards. It does nothing
// for a writer that is no Tap.
func SetOperations(w http.ResponseWriter, names []string) {
	if t, ok := w.(*Tap); ok {
		t.operations = names
	}
}
