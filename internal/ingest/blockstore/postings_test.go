package blockstore

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/valyala/fastjson"

	"understudy/internal/ingest"
	"understudy/internal/ingest/words"
)

// The terms of an event are those that a map finds, whether they are few or many, and
// whatever other events have.
func TestEachTermOfAnEventIsFoundOnce(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 1))
	var p postings
	want := map[uint64][]uint64{} // the rows of each term
	for row := range 60 {
		hashes := make([]uint64, r.IntN(3000))
		for i := range hashes {
			hashes[i] = uint64(r.IntN(400))<<rowBits | r.Uint64N(4) // of one term several hashes
			if r.IntN(2) == 0 {
				hashes[i] = r.Uint64()
			}
			if rows := want[termOf(hashes[i])]; len(rows) == 0 || rows[len(rows)-1] != uint64(row) {
				want[termOf(hashes[i])] = append(rows, uint64(row))
			}
		}
		p.add(uint32(row), hashes)
	}
	for term, rows := range want {
		var got []uint64
		if p.each(term, func(row uint64) { got = append(got, row) }); !slices.Equal(got, rows) {
			t.Fatalf("term %x is in rows %v, want %v", term, got, rows)
		}
	}
	if len(p.terms) != len(want) {
		t.Errorf("%d terms, want %d", len(p.terms), len(want))
	}
	if p.each(1<<41, func(uint64) { t.Error("a term that no event has is found") }); want[1<<41] != nil {
		t.Error("an event has the term that none should have")
	}
}

// Of an event with too many terms the same ones are kept, whatever their order.
func TestTermsOfAnEventAreBounded(t *testing.T) {
	var list []uint64
	for n := range uint64(maxTerms + 500) {
		list = append(list, n<<rowBits, n<<rowBits)
	}
	var p postings
	for row := range uint32(2) {
		p.add(row, slices.Clone(list))
		slices.Reverse(list)
	}
	if len(p.terms) != maxTerms || len(p.places) != 2*maxTerms || p.terms[maxTerms-1].term != maxTerms-1 {
		t.Errorf("%d terms, %d of both events", len(p.terms), len(p.places))
	}
}

// Postings are stored in the order of their terms, and their rows ascend, also where the
// blocks of projects overlap.
func TestPagesHaveTheRowsOfEachTerm(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 2))
	var p postings
	want := map[uint64]bitset{}
	for _, row := range r.Perm(3000) {
		var hashes []uint64
		for range 20 {
			term := uint64(r.IntN(1 + r.IntN(40_000)))
			hashes = append(hashes, term<<rowBits)
			want[term] = want[term].with(row)
		}
		p.add(uint32(row), hashes)
	}
	pages, least := p.pages()
	if len(pages) < 3 || len(pages) != len(least) || !slices.IsSorted(least) {
		t.Fatalf("%d pages from %d", len(pages), least)
	}
	for term, rows := range want {
		at, exact := slices.BinarySearch(least, term)
		if !exact {
			at--
		}
		got, _, err := rowsInPage(pages[at], term, nil)
		if err != nil || !slices.Equal(slices.Collect(got.all()), slices.Collect(rows.all())) {
			t.Fatalf("term %d has %d rows in its page, want %d: %v", term, got.count(), rows.count(), err)
		}
	}
}

// The index of parts that are put together is that of their events.
func TestPartsOfARunAreTheRun(t *testing.T) {
	whole, together := run{first: 1}, run{first: 1}
	for first := 1; first <= 90; first += 30 {
		list, block := events(first, first+30), ingest.Columns{First: int64(first)}
		if first > 60 { // with gaps
			for i := range list {
				block.Numbers = append(block.Numbers, int64(first+2*i))
			}
		}
		for i := range list {
			e := &list[i]
			e.Success, e.Metadata = i%3 > 0, fmt.Sprintf(`{"checkpoint.c%d":40,"error":"no %d","n":%d}`, i%5, i%4, i)
		}
		part := run{first: 1}
		part.addAll(list, &block)
		together.append(&part)
		whole.addAll(list, &block)
	}
	if whole.events != 90 || !reflect.DeepEqual(whole, together) {
		t.Errorf("the parts are %+v, want %+v", together, whole)
	}
}

// A run whose memory is used again has nothing of what it held before.
func TestARunThatIsUsedAgainHasNothingOfBefore(t *testing.T) {
	fill := func(r *run, from, to int) *run {
		list := events(from, to)
		for i := range list {
			list[i].Success, list[i].Metadata = i%3 > 0, fmt.Sprintf(`{"checkpoint.c%d":40,"error":"no %c"}`, from+i%5, 'a'+rune((from+i)%9))
		}
		r.addAll(list, &ingest.Columns{First: r.first})
		return r
	}
	used := fill(&run{first: 1, closed: true}, 0, 500)
	for _, n := range []int{0, 3, 700} {
		used.reset(1000)
		fill(used, 200, 200+n)
		fresh := fill(&run{first: 1000, last: 999}, 200, 200+n)
		pages, least := used.postings.pages()
		wantPages, wantLeast := fresh.postings.pages()
		if !reflect.DeepEqual(pages, wantPages) || !slices.Equal(least, wantLeast) || !slices.Equal(used.marks.encode(), fresh.marks.encode()) ||
			!slices.Equal(used.fails.encode(), fresh.fails.encode()) || used.events != n || used.first != 1000 || used.last != 999 || used.full(1) {
			t.Errorf("%d events: the index is another one than without events before", n)
		}
	}
}

// The terms and checkpoints of metadata are those that the parser finds, whether the
// metadata are a simple object or not.
func TestSimpleMetadataAreSplitAsTheParserDoes(t *testing.T) {
	for _, metadata := range []string{"", "{}", `{"checkpoint.start":0,"checkpoint.db":12.5,"region":"eu"}`, `{"checkpoint.late":"99","checkpoint.odd":"x","checkpoint.":1}`,
		`{"checkpoint.absolute": 1700000000500, "checkpoint.before":-1, "checkpoint.huge":1e300}`, `{"checkpoint.yes":true,"n":null,"ok":false,"n":1.50}`, `{"a":{"b":1}}`, `{"a":"\n"}`, `not JSON`, `[1]`} {
		for _, checkpoints := range []string{"", `[{"name":"first","timestamp":7},{"name":"start","ms":3}]`} {
			e := ingest.Event{Name: "tool", Args: "some words", Time: 1700000000900, Latency: 900, Metadata: metadata, Checkpoints: checkpoints}
			var got splitting
			got.split(&e)
			v, _ := fastjson.Parse(metadata)
			want := words.AppendPairs(appendTerms(nil, &e), v)
			if !slices.Equal(got.hashes, want) {
				t.Errorf("%s: %v, want %v", metadata, got.hashes, want)
			}
			if marks := e.TimelineBy(v, nil); fmt.Sprintf("%+v", got.marks) != fmt.Sprintf("%+v", marks) {
				t.Errorf("%s: %+v, want %+v", metadata, got.marks, marks)
			}
		}
	}
}
