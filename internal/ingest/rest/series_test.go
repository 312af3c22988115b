package rest

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"testing"

	"understudy/internal/ingest"
)

// Points that are written by hand are what the API document describes.
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
