package rest

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"understudy/internal/ingest"
)

// Points that are written without an encoder have the form in the API document.
func TestPointsAreWrittenAsDescribed(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		users := r.IntN(2) == 0
		points, averages := make([]ingest.Point, r.IntN(4)), []map[string]float64(nil)
		want := make([]shownPoint, len(points))
		for i := range points {
			p := &points[i]
			p.Time, p.Events, p.Errors, p.Users = r.Int64(), r.Int64N(1e9), r.Int64N(5), r.Int64N(9)
			p.InputTokens, p.OutputTokens, p.Cost = r.Int64(), r.Int64(), r.Float64()*1e6
			for range r.IntN(3) {
				p.Latencies.Add(r.Int64N(1e7))
			}
			want[i] = shownPoint{Time: p.Time, shownSums: sumsOf(&p.Sums)}
			if users {
				want[i].Users = &p.Users
			}
			average := map[string]float64{}
			if r.IntN(2) == 0 {
				average["a \"name\""], average["b"] = r.Float64(), -r.Float64()*1e-9
				want[i].Scores = average
			}
			averages = append(averages, average)
		}
		var got []shownPoint
		text := appendPoints(nil, points, users, averages)
		if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Fatalf("%v: %s", err, text)
		}
		whole, err := json.Marshal(want)
		var asWritten, asMarshalled any
		if err != nil || json.Unmarshal(text, &asWritten) != nil || json.Unmarshal(whole, &asMarshalled) != nil || !reflect.DeepEqual(asWritten, asMarshalled) {
			t.Fatalf("%s\nis not\n%s", text, whole)
		}
	}
}

// Two goroutines write the same text as one, however the points are distributed over
// the series.
func TestSeriesAreWrittenInHalves(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 34))
	for _, points := range [][]int{nil, {0}, {1, 2}, {manyPoints - 1}, {manyPoints}, {3 * manyPoints, 1}, {1, 0, 3 * manyPoints}, {700, 700, 0, 700, 900}} {
		for _, users := range []bool{false, true} {
			var found []ingest.Series
			want := []byte("begun")
			for i, n := range points {
				s := ingest.Series{Key: fmt.Sprintf("a \"key\" %d", i), Rest: i > 2}
				for range n {
					p := ingest.Point{Time: r.Int64(), Users: r.Int64(), Sums: ingest.Sums{Events: r.Int64(), InputTokens: r.Int64(), OutputTokens: r.Int64(), Cost: r.Float64() * 1e12}}
					p.Latencies.Add(r.Int64N(1e7))
					s.Points = append(s.Points, p)
				}
				found = append(found, s)
				want = appendGroup(comma(want, i), &s, users)
			}
			if got := string(appendSeries([]byte("begun"), found, users)); got != string(want) {
				t.Fatalf("%v points: %d bytes, want %d, the first difference at %d", points, len(got), len(want), difference(got, string(want)))
			}
			var list []shownSeries
			if err := json.Unmarshal([]byte("["+string(want[len("begun"):])+"]"), &list); err != nil || len(list) != len(points) {
				t.Fatalf("%v points: %v", points, err)
			}
		}
	}
}
