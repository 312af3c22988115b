package blockstore

import (
	"encoding/base64"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"understudy/internal/ingest"
)

// earlier are blocks as versions before wrote them, with varints alone and with numbers of even widths: each
// without gaps, and with the numbers earlierNumbers.
var earlier = []string{
	"AgTwzqv++WIA6AfQD7gXBAlzZXNzaW9uLTMJc2Vzc2lvbi00CXNlc3Npb24tNQlzZXNzaW9uLTYAAQIDAwZ0b29sLTAGdG9vbC0xBnRvb2wtMgABAgABBHRvb2wBAAEAAgADYW5uAAAAAaGh4KEDoI0GBQasAgMEBQbO/b1ikguG5pQbSeGqrW+d",
	"AwTwzqv++WIA6AfQD7gXBAlzZXNzaW9uLTMJc2Vzc2lvbi00CXNlc3Npb24tNQlzZXNzaW9uLTYAAQIDAwZ0b29sLTAGdG9vbC0xBnRvb2wtMgABAgABBHRvb2wBAAEAAgADYW5uAAAAAaGh4KEDoI0GBQasAgMEBQYBAgCAA879vWKSC4bmWFkK2PFemIE=",
	"BATwzqv++WICAADoA9AHuAsECXNlc3Npb24tMwlzZXNzaW9uLTQJc2Vzc2lvbi01CXNlc3Npb24tNgABAgMDBnRvb2wtMAZ0b29sLTEGdG9vbC0yAAECAAEEdG9vbAEAAQACAANhbm4AAAABoaHgoQADoI0GBQYCLAEBAwQFBs79vWKSC4bm5HQLrszdVVg=",
	"BQTwzqv++WICAADoA9AHuAsECXNlc3Npb24tMwlzZXNzaW9uLTQJc2Vzc2lvbi01CXNlc3Npb24tNgABAgMDBnRvb2wtMAZ0b29sLTEGdG9vbC0yAAECAAEEdG9vbAEAAQACAANhbm4AAAABoaHgoQADoI0GBQYCLAEBAwQFBgECAIADzv29YpILhuaLRARg3z0xvQ==",
}

var earlierNumbers = []int64{11, 14, 15, 400}

// earlierEvents returns the events of the blocks in earlier.
func earlierEvents() []ingest.Event {
	list := events(3, 7)
	list[1].Latency, list[2].InputTokens, list[3].User = 100_000, 300, "ann"
	return list
}

// inColumns returns an event without what its block holds elsewhere.
func inColumns(e ingest.Event) ingest.Event {
	e.ID, e.Parent, e.Received = "", "", 0
	e.Args, e.Result, e.Metadata, e.Checkpoints = "", "", "", ""
	return e
}

// same compares a block of columns with the events that it was made of.
func same(t *testing.T, columns []byte, list []ingest.Event, numbers []int64) {
	t.Helper()
	c := ingest.Columns{First: 10}
	if err := decodeColumns(columns, &c, allColumns); err != nil || c.N != len(list) {
		t.Fatalf("%d events, want %d: %v", c.N, len(list), err)
	}
	for i := range list {
		if got := eventOf(&c, i); !reflect.DeepEqual(got, inColumns(list[i])) {
			t.Fatalf("row %d is %+v, want %+v", i, got, list[i])
		}
		if numbers != nil && c.Number(i) != numbers[i] {
			t.Fatalf("row %d has the number %d, want %d", i, c.Number(i), numbers[i])
		}
	}
	some := ingest.Columns{First: 10}
	if err := decodeColumns(columns, &some, customerColumn|latencyColumn); err != nil || !reflect.DeepEqual(some.Latency, c.Latency) || !reflect.DeepEqual(some.Customer, c.Customer) {
		t.Fatalf("two columns differ from those of all: %v", err)
	}
}

func TestBlocksOfEarlierFormatsAreRead(t *testing.T) {
	list := earlierEvents()
	for i, numbers := range [][]int64{nil, earlierNumbers, nil, earlierNumbers} {
		columns, err := base64.StdEncoding.DecodeString(earlier[i])
		if err != nil {
			t.Fatal(err)
		}
		same(t, columns, list, numbers)
		same(t, encode(list, 10, numbers).columns, list, numbers)
	}
}

// Numbers come back whatever their widths, and with any of them missing.
func TestNumbersOfEachWidthComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 5))
	for width := range 63 {
		for _, missing := range []int{0, 1, 3, 10} {
			list := events(0, 1+r.IntN(400))
			var numbers []int64
			for i := range list {
				e := &list[i]
				e.Time = 1_700_000_000_000 + r.Int64N(1<<min(width, 50))
				e.User = []string{"", "ann", strings.Repeat("long ", 60)}[r.IntN(3)]
				e.Name += e.User
				for _, to := range []*int64{&e.Latency, &e.InputTokens, &e.OutputTokens} {
					if *to = r.Int64N(1 << width); r.IntN(10) < missing {
						*to = ingest.Absent
					}
				}
				if r.IntN(20) == 0 {
					e.Latency = 1 << 62 // one that is much longer than the others
				}
				if missing == 1 {
					numbers = append(numbers, int64(20+i*3))
				}
			}
			same(t, encode(list, 10, numbers).columns, list, numbers)
		}
	}
}
