package rest

import (
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/internal/ingest"
	"understudy/internal/platform/jsontext"
)

type (
	shownPoint struct {
		Time int64 `json:"time" description:"beginning of the period, epoch milliseconds"`
		shownSums
		Users  *int64             `json:"users,omitempty" description:"different users, with distinct=user_id"`
		Scores map[string]float64 `json:"scores,omitempty" description:"averages of scores that are numbers, by name, of what began in the period; without group_by and filters"`
	}
	shownSeries struct {
		Key    string       `json:"key"`
		Rest   bool         `json:"rest,omitempty" description:"all groups that do not stand alone; their key is other"`
		Points []shownPoint `json:"points"`
	}
	seriesReply struct {
		Points []shownPoint  `json:"points,omitempty" description:"without group_by"`
		Groups []shownSeries `json:"groups,omitempty" description:"with group_by, the largest first"`
	}
)

const (
	standardTop = 20
	maxTop      = 50
)

// timeSeries serves GET /api/v1/timeseries.
func (h *Handler) timeSeries(w http.ResponseWriter, r *http.Request, q *readRequest) error {
	s, err := seriesQuery(q)
	if err != nil {
		return err
	}
	found, err := h.d.Ingest.Series(r.Context(), q.project, s)
	if err != nil {
		return err
	}
	if s.By == ingest.ByNothing {
		averages, err := averagesOf(h, r, q, found[0].Points)
		if err != nil {
			return err
		}
		b := append(make([]byte, 0, pointBytes*len(found[0].Points)+32), `{"points":`...)
		reply(w, http.StatusOK, append(appendPoints(b, found[0].Points, s.Distinct, averages), '}'))
		return nil
	}
	b := append([]byte(nil), `{"groups":[`...)
	reply(w, http.StatusOK, append(appendSeries(b, found, s.Distinct), ']', '}'))
	return nil
}

// manyPoints is the number of points from which two goroutines write series.
const manyPoints = 1000

// appendSeries appends series in the form of shownSeries, without brackets. users
// adds the number of different users to each point.
func appendSeries(b []byte, found []ingest.Series, users bool) []byte {
	n := 0
	for i := range found {
		n += len(found[i].Points)
	}
	cut, points := 0, 0 // the number of series in the first half, and of their points
	for ; 2*points < n; cut++ {
		points += len(found[cut].Points)
	}
	room := func(points, series int) int { return pointBytes*points + 64*series }
	b = slices.Grow(b, room(n, len(found))+len("]}"))
	write := func(b []byte, from, to int) []byte {
		for i := from; i < to; i++ {
			b = appendGroup(comma(b, i), &found[i], users)
		}
		return b
	}
	if n < manyPoints {
		return write(b, 0, len(found))
	}
	return inHalves(b, room(points, cut), func(b []byte) []byte { return write(b, 0, cut) },
		func(b []byte) []byte { return write(b, cut, len(found)) })
}

func appendGroup(b []byte, s *ingest.Series, users bool) []byte {
	key := s.Key
	if s.Rest {
		key = "other"
	}
	b = jsontext.Append(append(b, `{"key":`...), key)
	if s.Rest {
		b = append(b, `,"rest":true`...)
	}
	return append(appendPoints(append(b, `,"points":`...), s.Points, users, nil), '}')
}

// pointBytes is the approximate length of a point in JSON, in bytes.
const pointBytes = 210

// appendPoints appends points as a list in the form of shownPoint. A series can have
// thousands of points, so their JSON is written without an encoder. users adds the
// number of different users. averages are the average scores of each point, nil for
// none.
func appendPoints(b []byte, points []ingest.Point, users bool, averages []map[string]float64) []byte {
	b = append(b, '[')
	for i := range points {
		p := &points[i]
		b = strconv.AppendInt(append(comma(b, i), `{"time":`...), p.Time, 10)
		b = appendSums(b, &p.Sums)
		if users {
			b = strconv.AppendInt(append(b, `,"users":`...), p.Users, 10)
		}
		if len(averages) > 0 && len(averages[i]) > 0 {
			b = appendAverages(append(b, `,"scores":`...), averages[i])
		}
		b = append(b, '}')
	}
	return append(b, ']')
}

// appendSums appends sums in the form of shownSums, without braces.
func appendSums(b []byte, s *ingest.Sums) []byte {
	shown := sumsOf(s)
	b = strconv.AppendInt(append(b, `,"count":`...), shown.Count, 10)
	b = strconv.AppendInt(append(b, `,"errors":`...), shown.Errors, 10)
	b = appendNumber(append(b, `,"error_rate":`...), &shown.ErrorRate)
	b = appendNumber(append(b, `,"p50":`...), shown.P50)
	b = appendNumber(append(b, `,"p95":`...), shown.P95)
	b = appendNumber(append(b, `,"p99":`...), shown.P99)
	b = strconv.AppendInt(append(b, `,"input_tokens":`...), shown.InputTokens, 10)
	b = strconv.AppendInt(append(b, `,"output_tokens":`...), shown.OutputTokens, 10)
	return appendNumber(append(b, `,"cost":`...), &shown.Cost)
}

func appendAverages(b []byte, averages map[string]float64) []byte {
	b = append(b, '{')
	for i, name := range slices.Sorted(maps.Keys(averages)) {
		value := averages[name]
		b = appendNumber(append(jsontext.Append(comma(b, i), name), ':'), &value)
	}
	return append(b, '}')
}

// appendNumber appends a number, null for nil.
func appendNumber(b []byte, n *float64) []byte {
	if n == nil {
		return append(b, `null`...)
	}
	return strconv.AppendFloat(b, *n, 'f', -1, 64)
}

// seriesQuery reads the parameters of /timeseries. It returns badRequest.
func seriesQuery(q *readRequest) (s ingest.SeriesQuery, err error) {
	s = ingest.SeriesQuery{Filter: q.Filter}
	interval, err := choice(q.values, "interval", "hour", "minute", "5m", "day", "week")
	if err != nil {
		return s, err
	}
	s.Interval = []ingest.Interval{ingest.Hourly, ingest.Minutely, ingest.FiveMinutes, ingest.Daily, ingest.Weekly}[interval]
	if name := q.values.Get("tz"); name != "" {
		if s.Zone, err = time.LoadLocation(name); err != nil || name == "Local" {
			return s, badRequest.At("tz").Detailf("tz must be the IANA name of a time zone")
		}
	}
	fill, err := choice(q.values, "fill", "", "zero")
	if err != nil {
		return s, badRequest.At("fill").Detailf("fill must be zero")
	}
	s.Fill = fill == 1
	if distinct := q.values.Get("distinct"); distinct != "" {
		if s.Distinct = distinct == "user_id"; !s.Distinct {
			return s, badRequest.At("distinct").Detailf("distinct must be user_id")
		}
	}
	top, err := countOf(q.values, "top", 1)
	if err != nil {
		return s, err
	}
	if s.Top = int(min(top, maxTop)); top == 0 {
		s.Top = standardTop
	}
	return s, groupBy(q.values.Get("group_by"), &s)
}

// groupBy reads the property by which a series is grouped. It returns badRequest.
func groupBy(text string, s *ingest.SeriesQuery) error {
	if trait, ok := strings.CutPrefix(text, "trait."); ok && trait != "" {
		s.By, s.Trait = ingest.ByLabel, trait
		return nil
	}
	switch text {
	case "":
	case "tool":
		s.By, s.Kind = ingest.ByName, ingest.Calls
	case "agent":
		s.By, s.Kind = ingest.ByName, ingest.Turns
	case "model":
		s.By = ingest.ByModel
	case "user_id":
		s.By = ingest.ByUser
	case "customer_id":
		s.By = ingest.ByCustomer
	case "success":
		s.By = ingest.BySuccess
	default:
		return badRequest.At("group_by").Detailf("group_by must be tool, agent, model, user_id, customer_id, success or trait.<name>")
	}
	return nil
}

// averagesOf returns the averages of scores at each point of a series. It returns
// nil if the request has a filter other than the period.
func averagesOf(h *Handler, r *http.Request, q *readRequest, points []ingest.Point) ([]map[string]float64, error) {
	for name := range q.values {
		switch name {
		case "from", "to", "interval", "tz", "fill", "distinct", "project_id", "top":
		default:
			return nil, nil
		}
	}
	bounds := make([]int64, len(points))
	for i := range points {
		bounds[i] = points[i].Time
	}
	found, err := h.d.Ingest.Averages(r.Context(), q.project, bounds)
	averages := make([]map[string]float64, len(points))
	for i, list := range found {
		averages[i] = map[string]float64{}
		for _, a := range list {
			averages[i][a.Name] = a.Sum / float64(a.Count)
		}
	}
	return averages, err
}
