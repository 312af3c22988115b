package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"understudy/test/load/wire"
)

// The searches that are measured: as the official client sends them, without
// the columns that the lists above already show.
const searchDocument = `query($term: String!, $comments: Boolean, $filter: IssueFilter) {
	searchIssues(term: $term, includeComments: $comments, filter: $filter, first: 50) { totalCount nodes { id identifier title state { name } } pageInfo { hasNextPage endCursor } } }`

// searches measures searches for words in common, for identifiers and with
// comments, on a few connections: each once, and some of them again and again.
func (s settings) searches(sub *subject, issues int) (once, again wire.Result, err error) {
	requests := sub.differentSearches(issues, 8192)
	var next atomic.Int64
	l := s.load(sub.Listen, nil)
	l.Connections = 2
	l.Next = func(int, int) []byte { return requests[int(next.Add(1))%len(requests)] }
	if once, err = s.repeat(l); err != nil {
		return once, again, err
	}
	l.Next = func(int, int) []byte { return requests[int(next.Add(1))%64] }
	again, err = s.repeat(l)
	fmt.Fprintf(os.Stderr, "search   %8.0f/s p50 %v p99 %v, again p50 %v, among %d issues\n", once.Rate, once.P50, once.P99, again.P50, issues)
	return once, again, err
}

// firstSearch returns how long a search takes that waits for the index to follow
// what was written. What is measured after it has no such work beside it.
func (s *subject) firstSearch() (time.Duration, error) {
	began := time.Now()
	err := s.query(searchDocument, map[string]any{"term": "drafts"}, &struct{}{})
	return time.Since(began), err
}

// differentSearches returns searches of which none is asked for twice.
func (s *subject) differentSearches(issues, most int) (requests [][]byte) {
	r := rand.New(rand.NewPCG(uint64(issues), 11))
	all := strings.Fields(strings.ToLower(strings.Join(slices.Concat(verbs, things, reasons), " ")))
	word := func() string { return all[r.IntN(len(all))] }
	asked := map[string]bool{}
	for n := 0; len(requests) < most && n < 4*most; n++ {
		in := map[string]any{"term": word() + " " + word()}
		switch n % 4 {
		case 1:
			in["term"] = word() + " " + word() + " " + word()
		case 2:
			in["term"] = fmt.Sprintf("ENG-%d", 1+r.IntN(max(1, issues/6)))
		case 3:
			in["term"], in["comments"] = verbs[r.IntN(len(verbs))]+" "+reasons[r.IntN(len(reasons))]+" "+word(), true
		}
		if body := graphql(searchDocument, in); !asked[string(body)] {
			asked[string(body)] = true
			requests = append(requests, s.request(body))
		}
	}
	return requests
}
