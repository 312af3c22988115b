package environment

import (
	"context"

	"understudy/internal/platform/trace"
)

// Tracer is an Instance that receives agents' reports.
type Tracer interface {
	// Trace returns a session with at most trace.MaxEvents events. Before reading
	// them it calls begin with their approximate number. It returns trace.NotFound
	// and trace.TooLarge.
	Trace(ctx context.Context, session string, begin func(events int)) (*trace.Session, error)
}

// TracerIn returns the service that receives agents' reports, with its name; nil
// for none.
func TracerIn(e *Environment) (service string, t Tracer) {
	for _, name := range e.order {
		if t, ok := e.instances[name].(Tracer); ok {
			return name, t
		}
	}
	return "", nil
}
