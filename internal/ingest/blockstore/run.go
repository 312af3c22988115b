package blockstore

import (
	"encoding/binary"
	"math"
	"slices"
	"sync"

	"github.com/valyala/fastjson"

	"understudy/internal/ingest"
)

// A run is the index of a range of events. It is built in memory, and stored when
// it is long enough. A posting is a term's hash with a row of the run.
const (
	rowBits   = 22
	maxRunRow = 1<<rowBits - 1
	// fullRows and fullPostings are the numbers from which a run is long enough
	// to be stored.
	fullRows     = 16 << 10
	fullPostings = 1 << 20
	// maxTerms bounds the different terms of one event.
	maxTerms = 20_000
	// usualTerms is more than most events have.
	usualTerms = 256
	// termPageBytes is about the bytes of a page of terms before it is compressed.
	termPageBytes = 32 << 10
)

// run is the index of the events from first to last.
type run struct {
	first, last int64
	postings    []uint64 // term<<rowBits | row; in the order of rows
	events      int
	closed      bool // it takes no further event
	marks       marks
	fails       fails
}

// splitting is the work space for finding the terms of an event.
type splitting struct {
	metadata fastjson.Parser
	own      termSet
}

var splittings = sync.Pool{New: func() any { return &splitting{} }}

// termOf returns the part of a hash that postings contain.
func termOf(hash uint64) uint64 { return hash >> rowBits }

// fails are the messages of failed events, as templates, in the order of rows.
type fails struct {
	texts  []string
	places map[string]uint16
	rows   []uint32
	text   []uint16
}

// add indexes an event.
func (r *run) add(e *ingest.Event, number int64) {
	row := uint64(number - r.first)
	r.events++
	space := splittings.Get().(*splitting)
	defer splittings.Put(space)
	var metadata *fastjson.Value
	if len(e.Metadata) > 2 {
		metadata, _ = space.metadata.Parse(e.Metadata)
	}
	begin := len(r.postings)
	if cap(r.postings)-begin < usualTerms { // append grows by a quarter only
		r.postings = slices.Grow(r.postings, begin+usualTerms)
	}
	r.postings = appendTerms(r.postings, e, metadata)
	own := space.own.distinct(r.postings[begin:])
	for i, h := range own {
		own[i] = termOf(h)<<rowBits | row
	}
	r.postings = r.postings[:begin+len(own)]
	for _, c := range e.TimelineBy(metadata) {
		if at, ok := place(&r.marks.names, &r.marks.places, c.Name); ok {
			r.marks.rows = append(r.marks.rows, uint32(row))
			r.marks.name = append(r.marks.name, at)
			r.marks.micros = append(r.marks.micros, int64(math.Round(c.Offset*1000)))
		}
	}
	if e.Success {
		return
	}
	if at, ok := place(&r.fails.texts, &r.fails.places, ingest.Template(e.ErrorText())); ok {
		r.fails.rows = append(r.fails.rows, uint32(row))
		r.fails.text = append(r.fails.text, at)
	}
}

// append adds what another run, with the same first number, has indexed.
func (r *run) append(o *run) {
	r.events += o.events
	r.postings = append(r.postings, o.postings...)
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

// place returns the index of a text in a list, and adds the text when it is
// missing. ok is false when the list is full.
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

// full reports whether a run is as long as a number of runs that are long enough to be stored.
func (r *run) full(runs int) bool {
	return r.closed || r.events >= runs*fullRows || len(r.postings) >= runs*fullPostings
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

// sortTerms sorts postings by term. Postings of one term keep their order.
func sortTerms(postings []uint64) []uint64 {
	const digit = (64 - rowBits) / 3
	from, to := slices.Clone(postings), make([]uint64, len(postings))
	for shift := rowBits; shift < 64; shift += digit {
		var starts [1<<digit + 1]int
		for _, p := range from {
			starts[p>>shift&(1<<digit-1)+1]++
		}
		for i := range starts[1:] {
			starts[i+1] += starts[i]
		}
		for _, p := range from {
			d := p >> shift & (1<<digit - 1)
			to[starts[d]] = p
			starts[d]++
		}
		from, to = to, from
	}
	return from
}

// termPages returns the sorted postings in compressed pages, with the least term
// of each.
func (r *run) termPages() (pages [][]byte, least []uint64) {
	sorted := sortTerms(r.postings)
	var page []byte
	last := uint64(0)
	flush := func() {
		if len(page) > 0 {
			pages = append(pages, encoder.EncodeAll(page, nil))
			page = page[:0]
		}
	}
	for i := 0; i < len(sorted); {
		term := sorted[i] >> rowBits
		end := i + 1
		for end < len(sorted) && sorted[end]>>rowBits == term {
			end++
		}
		if len(page) >= termPageBytes {
			flush()
		}
		if len(page) == 0 {
			last = 0
			least = append(least, term)
		}
		page = binary.AppendUvarint(page, term-last)
		page = binary.AppendUvarint(page, uint64(end-i))
		last = term
		row := uint64(0)
		slices.Sort(sorted[i:end]) // they are in order already unless blocks overlap
		for _, p := range sorted[i:end] {
			page = binary.AppendUvarint(page, p&maxRunRow-row)
			row = p & maxRunRow
		}
		i = end
	}
	flush()
	return pages, least
}

// rowsInPage returns the rows of a term in a page. space is memory that it may
// use, and returns for the next call.
func rowsInPage(compressed []byte, term uint64, space []byte) (rows bitset, used []byte, err error) {
	raw, err := decoder.DecodeAll(compressed, space[:0])
	if err != nil {
		return nil, raw, err
	}
	if len(raw) == 0 { // no page is empty
		return nil, raw, errBlock
	}
	r := reader{b: raw}
	for at := uint64(0); len(r.b) > 0; {
		at += r.uvarint()
		n := r.length()
		switch {
		case r.bad:
			return nil, raw, errBlock
		case at > term:
			return nil, raw, nil
		case at < term:
			r.skipNumbers(n)
			continue
		}
		row := uint64(0)
		for range n {
			if row += r.uvarint(); r.bad || row > maxRunRow {
				return nil, raw, errBlock
			}
			rows = rows.with(int(row))
		}
		break
	}
	if r.bad {
		err = errBlock
	}
	return rows, raw, err
}

// eachPosting calls fn for the rows of a term in memory.
func (r *run) eachPosting(term uint64, fn func(row uint64)) {
	for _, p := range r.postings {
		if p>>rowBits == term {
			fn(p & maxRunRow)
		}
	}
}

func appendTexts(b []byte, texts []string) []byte {
	b = binary.AppendUvarint(b, uint64(len(texts)))
	for _, t := range texts {
		b = appendText(b, t)
	}
	return b
}

func (r *reader) texts() (out []string) {
	n := r.length()
	for range n {
		if r.bad {
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
	r := reader{b: raw}
	f.texts = r.texts()
	n := min(r.length(), len(r.b))
	f.rows, f.text = make([]uint32, n), make([]uint16, n)
	row := uint32(0)
	for i := range n {
		row += uint32(r.uvarint())
		f.rows[i], f.text[i] = row, uint16(r.uvarint())
		r.bad = r.bad || int(f.text[i]) >= len(f.texts)
	}
	if r.bad {
		err = errBlock
	}
	return f, err
}
