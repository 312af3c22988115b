package blockstore

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/valyala/fastjson"

	"understudy/internal/ingest"
	"understudy/internal/ingest/jsonvalue"
	"understudy/internal/ingest/words"
)

// A run is the index of a range of events. It is built in memory, and stored when
// it is long enough. A row of a run is the number of an event minus that of the
// first.
const (
	rowBits   = 22
	maxRunRow = 1<<rowBits - 1
	// fullRows and fullPostings are the numbers from which a run is long enough to
	// be stored.
	fullRows     = 16 << 10
	fullPostings = 1 << 20
	// maxTerms bounds the distinct terms of one event.
	maxTerms = 20_000
	// termPageBytes is the approximate size of a page of terms, uncompressed.
	termPageBytes = 32 << 10
)

// run is the index of the events from first to last.
type run struct {
	first, last int64
	postings    postings
	events      int
	closed      bool // it accepts no further event
	marks       marks
	fails       fails
}

// splitting is the work space for finding the terms of an event.
type splitting struct {
	metadata fastjson.Parser
	members  []jsonvalue.Member
	hashes   []uint64
	marks    []ingest.Checkpoint
}

// split finds the terms and the checkpoints of an event.
func (s *splitting) split(e *ingest.Event) {
	s.hashes = appendTerms(s.hashes[:0], e)
	if members, simple := jsonvalue.Members(s.members[:0], e.Metadata); simple {
		s.members = members
		s.hashes = words.AppendMembers(s.hashes, members)
		s.marks = e.TimelineOf(members, s.marks)
		return
	}
	var metadata *fastjson.Value
	if e.Metadata != "" {
		metadata, _ = s.metadata.Parse(e.Metadata)
	}
	s.hashes = words.AppendPairs(s.hashes, metadata)
	s.marks = e.TimelineBy(metadata, s.marks)
}

var splittings = sync.Pool{New: func() any { return &splitting{} }}

// termOf returns the part of a hash by which an event is found.
func termOf(hash uint64) uint64 { return hash >> rowBits }

// fails are the messages of failed events, as templates, in the order of rows.
type fails struct {
	texts  []string
	places map[string]uint16
	rows   []uint32
	text   []uint16
}

// addAll indexes the events of a block, whose numbers are in c.
func (r *run) addAll(events []ingest.Event, c *ingest.Columns) {
	space := splittings.Get().(*splitting)
	defer splittings.Put(space)
	for i := range events {
		r.add(&events[i], c.Number(i), space)
	}
}

// add indexes an event.
func (r *run) add(e *ingest.Event, number int64, space *splitting) {
	row := uint32(number - r.first)
	r.events++
	space.split(e)
	r.postings.add(row, space.hashes)
	for _, c := range space.marks {
		if at, ok := place(&r.marks.names, &r.marks.places, c.Name); ok {
			r.marks.rows = append(r.marks.rows, row)
			r.marks.name = append(r.marks.name, at)
			r.marks.micros = append(r.marks.micros, int64(math.Round(c.Offset*1000)))
		}
	}
	if e.Success {
		return
	}
	if at, ok := place(&r.fails.texts, &r.fails.places, ingest.Template(e.ErrorText())); ok {
		r.fails.rows = append(r.fails.rows, row)
		r.fails.text = append(r.fails.text, at)
	}
}

// reset empties a run for the events from first on. It reuses the memory.
func (r *run) reset(first int64) {
	p, m, f := &r.postings, &r.marks, &r.fails
	clear(p.slots)
	clear(m.places)
	clear(f.places)
	*r = run{first: first, last: first - 1,
		postings: postings{terms: p.terms[:0], slots: p.slots, places: p.places[:0], events: p.events[:0]},
		marks:    marks{names: m.names[:0], places: m.places, rows: m.rows[:0], name: m.name[:0], micros: m.micros[:0]},
		fails:    fails{texts: f.texts[:0], places: f.places, rows: f.rows[:0], text: f.text[:0]}}
}

// append adds the content of another run with the same first number.
func (r *run) append(o *run) {
	r.events += o.events
	r.postings.append(&o.postings)
	for i, row := range o.marks.rows {
		if at, ok := place(&r.marks.names, &r.marks.places, o.marks.names[o.marks.name[i]]); ok {
			r.marks.rows = append(r.marks.rows, row)
			r.marks.name = append(r.marks.name, at)
			r.marks.micros = append(r.marks.micros, o.marks.micros[i])
		}
	}
	for i, row := range o.fails.rows {
		if at, ok := place(&r.fails.texts, &r.fails.places, o.fails.texts[o.fails.text[i]]); ok {
			r.fails.rows = append(r.fails.rows, row)
			r.fails.text = append(r.fails.text, at)
		}
	}
}

// place returns the index of a text in a list, and adds the text if it is
// missing. ok is false if the list is full.
func place(list *[]string, places *map[string]uint16, text string) (uint16, bool) {
	at, ok := (*places)[text]
	if ok {
		return at, true
	}
	if len(*list) > math.MaxUint16 {
		return 0, false
	}
	if *places == nil {
		*places = map[string]uint16{}
	}
	text = string(append([]byte(nil), text...))
	at = uint16(len(*list))
	(*places)[text] = at
	*list = append(*list, text)
	return at, true
}

// full reports whether a run is long enough to be stored as runs runs.
func (r *run) full(runs int) bool {
	return r.closed || r.events >= runs*fullRows || len(r.postings.places) >= runs*fullPostings
}

// reaches reports whether a run has room for the rows of a block.
func (r *run) reaches(c *ingest.Columns) bool { return c.Number(c.N-1)-r.first <= maxRunRow }

// sortRows sorts checkpoints and messages by row: they come in another order when
// blocks of different projects overlap.
func (r *run) sortRows() {
	order := func(rows []uint32) []int {
		if slices.IsSorted(rows) {
			return nil
		}
		out := make([]int, len(rows))
		for i := range out {
			out[i] = i
		}
		slices.SortStableFunc(out, func(a, b int) int { return int(rows[a]) - int(rows[b]) })
		return out
	}
	if o := order(r.marks.rows); o != nil {
		r.marks.rows, r.marks.name, r.marks.micros = inOrder(o, r.marks.rows), inOrder(o, r.marks.name), inOrder(o, r.marks.micros)
	}
	if o := order(r.fails.rows); o != nil {
		r.fails.rows, r.fails.text = inOrder(o, r.fails.rows), inOrder(o, r.fails.text)
	}
}

func inOrder[T any](order []int, list []T) []T {
	out := make([]T, len(list))
	for i, at := range order {
		out[i] = list[at]
	}
	return out
}

// rowsInPage returns the rows of a term in a page. It uses the memory of space,
// and returns it for the next call.
func rowsInPage(compressed []byte, term uint64, space []byte) (rows bitset, used []byte, err error) {
	raw, err := decoder.DecodeAll(compressed, space[:0])
	if err != nil {
		return nil, raw, err
	}
	if len(raw) == 0 { // no page is empty
		return nil, raw, errBlock
	}
	r := readerOf(raw)
	for at := uint64(0); len(r.B) > 0; {
		at += r.Uvarint()
		n := r.Length()
		switch {
		case r.Bad:
			return nil, raw, errBlock
		case at > term:
			return nil, raw, nil
		case at < term:
			r.skipNumbers(n)
			continue
		}
		row := uint64(0)
		for range n {
			if row += r.Uvarint(); r.Bad || row > maxRunRow {
				return nil, raw, errBlock
			}
			rows = rows.with(int(row))
		}
		break
	}
	if r.Bad {
		err = errBlock
	}
	return rows, raw, err
}

func appendTexts(b []byte, texts []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(texts)))
	for _, t := range texts {
		b = appendText(b, t)
	}
	return b
}

func (r *reader) texts() (out []string) {
	n := r.Length()
	for range n {
		if r.Bad {
			return nil
		}
		out = append(out, r.text())
	}
	return out
}

// encode returns the stored form of messages.
func (f *fails) encode() []byte {
	b := appendTexts(nil, f.texts)
	b = binary.AppendUvarint(b, uint64(len(f.rows)))
	last := uint32(0)
	for i, row := range f.rows {
		b = binary.AppendUvarint(b, uint64(row-last))
		b = binary.AppendUvarint(b, uint64(f.text[i]))
		last = row
	}
	return encoder.EncodeAll(b, nil)
}

func decodeFails(b []byte) (f fails, err error) {
	raw, err := decoder.DecodeAll(b, nil)
	if err != nil {
		return f, err
	}
	r := readerOf(raw)
	f.texts = r.texts()
	n := min(r.Length(), len(r.B))
	f.rows, f.text = make([]uint32, n), make([]uint16, n)
	row := uint32(0)
	for i := range n {
		row += uint32(r.Uvarint())
		f.rows[i], f.text[i] = row, uint16(r.Uvarint())
		r.Bad = r.Bad || int(f.text[i]) >= len(f.texts)
	}
	if r.Bad {
		err = errBlock
	}
	return f, err
}
