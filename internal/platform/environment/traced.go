package environment

import (
	"context"

	"understudy/internal/platform/trace"
)

// Tracer is an Instance to which agents report what they do.
type Tracer interface {
	// Trace returns a session with at most trace.MaxEvents events. Before it reads
	// them it calls begin with how many there are, about. It returns
	// trace.NotFound and trace.TooLarge.
	Trace(ctx context.Context, session string, begin func(events int)) (*trace.Session, error)
}

// TracerIn returns the service to which agents report, with its name; nil for none.
func TracerIn(e *Environment) (service string, t Tracer) {
	for _, name := range e.order {
		if t, ok := e.instances[name].(Tracer); ok {
			return name, t
		}
	}
	return "", nil
}
