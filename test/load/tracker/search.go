package main

import (
	"fmt"
	"math/rand/v2"
	"os"

	"understudy/test/load/wire"
)

// The searches that are measured: as the official client sends them, without
// the columns that the lists above already show.
const searchDocument = `query($term: String!, $comments: Boolean, $filter: IssueFilter) {
	searchIssues(term: $term, includeComments: $comments, filter: $filter, first: 50) { totalCount nodes { id identifier title state { name } } pageInfo { hasNextPage endCursor } } }`

// searches measures searches for words that many issues have, for identifiers
// and for words with a filter, hardly one twice, on a few connections.
func (s settings) searches(sub *subject, issues int) (wire.Result, error) {
	r := rand.New(rand.NewPCG(uint64(issues), 11))
	terms := []string{"drafts", "sync drafts", "slow networks", "gigabyte", "keyb", "right-to-left languages", "invoice proxy", "images older phones", "investigate search index", "sign-in"}
	var requests [][]byte
	for n := range 512 {
		in := map[string]any{"term": terms[n%len(terms)]}
		switch n % 4 {
		case 1:
			in["term"] = fmt.Sprintf("%s %s", terms[r.IntN(len(terms))], things[r.IntN(len(things))])
		case 2:
			in["term"] = fmt.Sprintf("ENG-%d", 1+r.IntN(max(1, issues/6)))
		case 3:
			in["term"], in["comments"] = verbs[r.IntN(len(verbs))]+" "+reasons[r.IntN(len(reasons))], true
		}
		requests = append(requests, sub.request(graphql(searchDocument, in)))
	}
	if err := sub.query(searchDocument, map[string]any{"term": "drafts"}, &struct{}{}); err != nil { // the index catches up
		return wire.Result{}, err
	}
	l := s.load(sub.Listen, nil)
	l.Connections = 2
	l.Next = func(worker, n int) []byte { return requests[(worker*131+n)%len(requests)] }
	found, err := s.repeat(l)
	fmt.Fprintf(os.Stderr, "search   %8.0f/s p50 %v p99 %v among %d issues\n", found.Rate, found.P50, found.P99, issues)
	return found, err
}
