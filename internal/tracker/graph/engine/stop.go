package engine

import "fmt"

// ReplyTooLarge is the Cause of the error that replaces a reply that is longer,
// or needs more objects, than the options allow.
type ReplyTooLarge struct {
	Bytes, Objects int // when the execution stopped
	MaxBytes       int
	MaxObjects     int
}

func (e *ReplyTooLarge) Error() string {
	if e.Bytes > e.MaxBytes {
		return fmt.Sprintf("The reply has more than %d bytes; the limit is %d. Ask for fewer fields, or for shorter pages.", e.Bytes, e.MaxBytes)
	}
	return fmt.Sprintf("The reply has more than %d objects; the limit is %d. Ask for fewer fields, or for shorter pages.", e.Objects, e.MaxObjects)
}

// stop is the value of the panic that ends an execution.
type stop struct{ cause error }

const (
	firstRoom   = 256 << 10 // bytes that a reply may have before memory is reserved
	objectBytes = 100       // approximate memory of a loaded object
	objectStep  = 10_000
)

// meter counts what an execution builds.
type meter struct {
	x       *execution
	objects int
	step    int // objects that memory is reserved for
	room    int // bytes of the reply that memory is reserved for
	errors  int // approximate bytes of the reply's errors
}

func (m *meter) object() {
	if m.objects++; m.objects > m.step {
		m.more()
	}
}

// more reserves memory for further objects, or stops the execution.
func (m *meter) more() {
	if o := &m.x.e.options; m.objects > o.MaxObjects {
		panic(&stop{&ReplyTooLarge{Objects: o.MaxObjects, MaxBytes: o.MaxReply, MaxObjects: o.MaxObjects}})
	}
	m.reserve(objectStep * objectBytes)
	m.step += objectStep
}

// written reserves memory for twice n bytes of the reply, or stops the execution.
func (m *meter) written(n int) {
	if o := &m.x.e.options; n > o.MaxReply {
		panic(&stop{&ReplyTooLarge{Bytes: n, MaxBytes: o.MaxReply, MaxObjects: o.MaxObjects}})
	}
	for m.room < n {
		m.reserve(2 * m.room)
		m.room *= 2
	}
	m.room = min(m.room, m.x.e.options.MaxReply)
}

func (m *meter) reserve(n int) {
	if f := m.x.e.options.Reserve; f != nil {
		if err := f(m.x.ctx, n); err != nil {
			panic(&stop{err})
		}
	}
}
