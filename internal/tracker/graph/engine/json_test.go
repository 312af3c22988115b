package engine

import (
	"encoding/json"
	"math"
	"testing"
	"time"
)

func FuzzAppendFloat(f *testing.F) {
	for _, v := range []float64{0, math.Copysign(0, -1), 1, -1.5, 1e15, 1e21, 1e-7, math.MaxFloat64, math.SmallestNonzeroFloat64, 0.1, 123456789012345680} {
		f.Add(v)
	}
	f.Fuzz(func(t *testing.T, v float64) {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			t.Skip()
		}
		var back float64
		if err := json.Unmarshal(appendFloat(nil, v), &back); err != nil || back != v {
			t.Errorf("%v: %s, %v", v, appendFloat(nil, v), err)
		}
	})
}

func FuzzAppendTime(f *testing.F) {
	f.Add(int64(0))
	f.Add(int64(1714557600123))
	f.Add(int64(-62135596800000))
	f.Add(int64(253402300800000))
	f.Fuzz(func(t *testing.T, millis int64) {
		at := time.UnixMilli(millis % 4e14).UTC()
		if want := `"` + at.Format("2006-01-02T15:04:05.000Z") + `"`; string(appendTime(nil, at)) != want {
			t.Errorf("have %s, want %s", appendTime(nil, at), want)
		}
	})
}
