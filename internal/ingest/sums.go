package ingest

import "math"

// Sums is the sums of a set of events.
type Sums struct {
	Events, Errors            int64
	Turns, Calls              int64
	InputTokens, OutputTokens int64
	Cost                      float64
	Latencies                 Latencies
	Distinct                  []int64 // by the dimensions of Sum.Distinct
}

// Merge adds the sums of o, except the counts of distinct values, which cannot be
// added.
func (s *Sums) Merge(o *Sums) {
	s.Events += o.Events
	s.Turns += o.Turns
	s.Calls += o.Calls
	s.Errors += o.Errors
	s.InputTokens += o.InputTokens
	s.OutputTokens += o.OutputTokens
	s.Cost += o.Cost
	s.Latencies.Merge(&o.Latencies)
}

// RoundCost rounds to six digits after the point: sums of fractions differ in the
// last digits.
func RoundCost(cost float64) float64 { return math.Round(cost*1e6) / 1e6 }
