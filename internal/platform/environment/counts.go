package environment

import (
	"cmp"
	"context"
	"encoding/json"
	"sync/atomic"
	"unique"
)

// ServiceCounts is the counts of each service. It holds the JSON for lists,
// because thousands are cached; equal counts share it.
type ServiceCounts struct{ json string }

// NewServiceCounts returns the counts of services, by service.
func NewServiceCounts(counts map[string]Counts) (ServiceCounts, error) {
	b, err := json.Marshal(counts)
	return ServiceCounts{unique.Make(string(b)).Value()}, err
}

// ReadServiceCounts returns the counts in a text of String.
func ReadServiceCounts(text string) ServiceCounts { return ServiceCounts{text} }

// Known reports whether services were asked for the counts.
func (c ServiceCounts) Known() bool { return c.json != "" }

// String returns the counts as a JSON object of objects, or null when nothing was counted.
func (c ServiceCounts) String() string { return cmp.Or(c.json, "null") }

// MarshalJSON implements json.Marshaler.
func (c ServiceCounts) MarshalJSON() ([]byte, error) { return []byte(c.String()), nil }

// JSONSchemaBytes describes the counts in the API's documents.
func (ServiceCounts) JSONSchemaBytes() ([]byte, error) {
	return []byte(`{"type": "object", "additionalProperties": {"type": "object", "additionalProperties": {"type": "integer"}}}`), nil
}

// counting caches the counts of an environment until the next write.
type counting struct {
	last  atomic.Pointer[counted]
	tried atomic.Int64 // the version at the last Recount
}

type counted struct {
	version int64
	counts  ServiceCounts
}

// version returns a number that every write to one of the databases changes, and
// reports whether no write is running.
func version(e *Environment) (version int64, still bool) {
	still = true
	for _, w := range e.Worlds {
		v, s := w.Version()
		version, still = version+v, still && s
	}
	return version, still
}

// Counts returns the counts of all services. It asks the services only after a
// write.
func (e *Environment) Counts(ctx context.Context) (ServiceCounts, error) {
	now, still := version(e)
	if known := e.counting.last.Load(); known != nil && known.version == now {
		return known.counts, nil
	}
	all := map[string]Counts{}
	for name, in := range e.instances {
		n, err := in.Counts(ctx)
		if err != nil {
			return ServiceCounts{}, err
		}
		all[name] = n
	}
	out, err := NewServiceCounts(all)
	if still && err == nil {
		e.counting.last.Store(&counted{now, out})
	}
	return out, err
}

// KnownCounts returns the counts of all services, if they were asked since the last
// write.
func KnownCounts(e *Environment) (ServiceCounts, bool) {
	now, still := version(e)
	if known := e.counting.last.Load(); still && known != nil && known.version == now {
		return known.counts, true
	}
	return ServiceCounts{}, false
}

// KnowCounts caches the counts of an environment, which were made in another with
// the same content. They are valid until the next write.
func KnowCounts(e *Environment, counts ServiceCounts) {
	if now, still := version(e); still {
		e.counting.last.Store(&counted{now, counts})
	}
}

// Recount counts before the databases are suspended, which is cheap now, while
// later they would have to be opened again. It counts at most once until the next
// write.
func Recount(ctx context.Context, e *Environment) error {
	now, still := version(e)
	if !still || e.counting.tried.Swap(now) == now {
		return nil
	}
	_, err := e.Counts(ctx)
	return err
}
