package record

import "net/http"

// Actor is what kind of caller made a request.
type Actor uint8

// The kinds of callers.
const (
	Agent  Actor = iota // a caller with a token or secret URL of the world, or without a credential
	Person              // a session that the admin plane issued
	Admin               // the admin plane's key
	System              // no request: background work
)

var actors = [...]string{"agent", "person", "admin", "system"}

// String returns the name in replies and filters.
func (a Actor) String() string { return actors[a] }

// ParseActor returns the actor with a name, and whether there is one.
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

// Caller is the sender of a request, as far as the service knows.
type Caller struct {
	Principal string // a text for people
	ID        string // the user within the service, or the token if there is no user
	Actor     Actor
}

// SetCaller records the caller. It does nothing if w is not a Tap.
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

// SetPrincipal is SetCaller for an agent of which only a text is known.
func SetPrincipal(w http.ResponseWriter, principal string) {
	SetCaller(w, Caller{Principal: principal, ID: principal})
}

// SetOperations records the operations by their upstream names. The list must not
// be changed afterwards. It does nothing if w is not a Tap.
func SetOperations(w http.ResponseWriter, names []string) {
	if t, ok := w.(*Tap); ok {
		t.operations = names
	}
}
