package ingest

import (
	"bytes"
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"unsafe"

	"github.com/valyala/fastjson"
	"github.com/valyala/fastjson/fastfloat"

	"understudy/internal/ingest/jsonvalue"
)

// Checkpoint is a mark on the timeline of a tool call.
type Checkpoint struct {
	Name     string
	Offset   float64 // milliseconds since the start of the event
	Metadata json.RawMessage
	Late     bool // beyond the event's latency
}

const checkpointPrefix = "checkpoint."

// epochFrom is the smallest offset that is read as milliseconds since 1970
// instead of since the start of the event.
const epochFrom = 1e11

var checkpointParsers fastjson.ParserPool

// Timeline returns the checkpoints of an event in the order of their offsets. It
// reads the keys "checkpoint.<name>" of the metadata and the list that the agnost
// client sends. A value that is not a time is only shown as metadata.
func (e *Event) Timeline() []Checkpoint {
	if e.marks != nil {
		return e.marks
	}
	var metadata *fastjson.Value
	p := checkpointParsers.Get()
	defer checkpointParsers.Put(p)
	if strings.Contains(e.Metadata, checkpointPrefix) {
		metadata, _ = p.Parse(e.Metadata)
	}
	out := e.TimelineBy(metadata, nil)
	for i := range out {
		out[i].Name = strings.Clone(out[i].Name)
	}
	return out
}

// TimelineBy is Timeline with parsed metadata, which are nil if they are not
// JSON. It reuses the memory of space. Names are valid as long as metadata are.
func (e *Event) TimelineBy(metadata *fastjson.Value, space []Checkpoint) []Checkpoint {
	out := space[:0]
	if metadata != nil && strings.Contains(e.Metadata, checkpointPrefix) {
		if o, err := metadata.Object(); err == nil {
			o.Visit(func(key []byte, v *fastjson.Value) {
				if name, ok := bytes.CutPrefix(key, []byte(checkpointPrefix)); ok && len(name) > 0 {
					out = e.mark(out, unsafe.String(unsafe.SliceData(name), len(name)), v)
				}
			})
		}
	}
	return e.timeline(out)
}

// TimelineOf is TimelineBy with the members of metadata that are a simple object.
func (e *Event) TimelineOf(metadata []jsonvalue.Member, space []Checkpoint) []Checkpoint {
	out := space[:0]
	for i := range metadata {
		m := &metadata[i]
		name, ok := strings.CutPrefix(m.Name, checkpointPrefix)
		if !ok || name == "" || !m.Text && (m.Value == "true" || m.Value == "false") {
			continue
		}
		parse := fastfloat.Parse
		if m.Text {
			parse = parseFloat
		}
		if offset, err := parse(m.Value); err == nil {
			out = markAt(e, out, Checkpoint{Name: name, Offset: offset})
		}
	}
	return e.timeline(out)
}

func parseFloat(text string) (float64, error) { return strconv.ParseFloat(text, 64) }

// timeline adds the list that the agnost client sends to the checkpoints of the
// metadata, and sorts them.
func (e *Event) timeline(out []Checkpoint) []Checkpoint {
	if e.Checkpoints != "" {
		p := checkpointParsers.Get()
		defer checkpointParsers.Put(p)
		if v, err := p.Parse(e.Checkpoints); err == nil {
			list, _ := v.Array()
			for _, item := range list {
				if name := string(item.GetStringBytes("name")); name != "" {
					out = e.mark(out, name, item)
				}
			}
		}
	}
	if len(out) > 1 {
		slices.SortStableFunc(out, func(a, b Checkpoint) int { return cmp.Compare(a.Offset, b.Offset) })
	}
	return out
}

// sizeOf returns the approximate size of checkpoints in a reply.
func sizeOf(marks []Checkpoint) (n int) {
	for i := range marks {
		n += 40 + len(marks[i].Name)
	}
	return n
}

func (e *Event) mark(out []Checkpoint, name string, v *fastjson.Value) []Checkpoint {
	c := Checkpoint{Name: name}
	if v.Type() == fastjson.TypeObject {
		if m := v.Get("metadata"); m != nil && m.Type() != fastjson.TypeNull {
			c.Metadata = jsonvalue.Append(nil, m)
		}
		at := v.Get("timestamp")
		if at == nil {
			at = v.Get("ms")
		}
		if at == nil {
			return out
		}
		v = at
	}
	var err error
	switch v.Type() {
	case fastjson.TypeNumber:
		c.Offset, err = v.Float64()
	case fastjson.TypeString:
		c.Offset, err = strconv.ParseFloat(string(v.GetStringBytes()), 64)
	default:
		return out
	}
	if err != nil {
		return out
	}
	return markAt(e, out, c)
}

// markAt adds a checkpoint unless its offset is not a time.
func markAt(e *Event, out []Checkpoint, c Checkpoint) []Checkpoint {
	if c.Offset > epochFrom {
		c.Offset -= float64(e.Start())
	}
	if !(c.Offset >= 0 && c.Offset < epochFrom) {
		return out
	}
	c.Late = e.Latency >= 0 && c.Offset > float64(e.Latency)
	return append(out, c)
}
