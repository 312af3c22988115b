package rest

import (
	"maps"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/internal/ingest"
	"understudy/internal/ingest/words"
	"understudy/internal/platform/apidocs"
	"understudy/internal/platform/page"
)

const (
	standardPage = 50
	maxPage      = 1000
	// maxAlternatives bounds the values of one parameter.
	maxAlternatives = 100
	// maxParameters bounds the different parameters of a request.
	maxParameters = 100
	// maxGiven bounds the values of all parameters of a request together.
	maxGiven = 1000
	// maxWords bounds the words and the values of metadata in the filters of one
	// request: the index looks up each of them in all its parts.
	maxWords = 100
)

// paging reads the parameters limit and cursor. kind is the kind of the cursor. It
// returns badRequest.
func paging(q url.Values, kind string) (position string, limit int, err error) {
	asked, err := countOf(q, "limit", 1)
	if err != nil {
		return "", 0, err
	}
	position, err = page.Decode(kind, q.Get("cursor"))
	if err != nil {
		return "", 0, badCursor()
	}
	return position, page.Limit(int(min(asked, maxPage)), standardPage, maxPage), nil
}

func badCursor() error {
	return badRequest.At("cursor").Detailf("cursor must be one that this list returned")
}

// countOf reads a whole number of at least least. It returns 0 for a missing one
// and badRequest for an invalid one.
func countOf(q url.Values, name string, least int64) (int64, error) {
	text := q.Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < least {
		return 0, badRequest.At(name).Detailf("%s must be a number of %d or more", name, least)
	}
	return n, nil
}

// numbered splits a position of the form "<number>,<text>". It returns 0 and "" for
// an empty position, and badRequest for another form.
func numbered(position string) (n int64, text string, err error) {
	if position == "" {
		return 0, "", nil
	}
	head, text, ok := strings.Cut(position, ",")
	if n, err = strconv.ParseInt(head, 10, 64); err != nil || !ok {
		return 0, "", badCursor()
	}
	return n, text, nil
}

// filters are the parameters that every list and aggregate has.
var filters = []apidocs.Parameter{
	{Name: "from", Description: "epoch milliseconds or RFC 3339, inclusive"},
	{Name: "to", Description: "epoch milliseconds or RFC 3339, exclusive"},
	{Name: "session_id"},
	{Name: "type", Description: "primitive_type"},
	{Name: "name", Description: "primitive_name: of a tool or an agent"},
	{Name: "tool", Description: "primitive_name"},
	{Name: "success", Type: "boolean"},
	{Name: "errors", Type: "boolean", Description: "true: only failures"},
	{Name: "min_latency", Description: "milliseconds"},
	{Name: "user_id"}, {Name: "customer_id"}, {Name: "model"},
	{Name: "client_config", Description: "of the session"},
	{Name: "q", Description: "words that must all be in name, arguments, result or error"},
	{Name: "trait.<name>", Description: "a value of the user's trait of that name"},
	{Name: "metadata.<key>", Description: "a value of the event's metadata"},
	{Name: "score.<name>", Description: "a score's value; also score.<name>.min and score.<name>.max"},
	{Name: "project_id", Description: "with the admin key: the project to read"},
}

var pages = []apidocs.Parameter{{Name: "limit", Type: "integer"}, {Name: "cursor"}}

// knownParameters returns badRequest for an unknown parameter, and for too many
// parameters or values.
func knownParameters(q url.Values, have []apidocs.Parameter) error {
	if len(q) > maxParameters {
		return badRequest.Detailf("%d parameters are given; limit is %d", len(q), maxParameters)
	}
	n := 0
	for name, values := range q {
		if n += len(values); n > maxGiven {
			return badRequest.Detailf("more than %d values are given", maxGiven)
		}
		if !slices.ContainsFunc(have, func(p apidocs.Parameter) bool { return p.In == "" && named(p.Name, name) }) {
			return badRequest.At(name).Detailf("%s is not a parameter of this address", name)
		}
		if len(values) > 1 && !isFilter(name) {
			return badRequest.At(name).Detailf("%s must be given once", name)
		}
		if len(values) > maxAlternatives {
			return badRequest.At(name).Detailf("%s is given %d times; limit is %d", name, len(values), maxAlternatives)
		}
	}
	return nil
}

// isFilter reports whether a parameter may have several values, which are
// alternatives.
func isFilter(name string) bool {
	if name == "event_id" { // of scores
		return true
	}
	return name != "project_id" && slices.ContainsFunc(filters, func(p apidocs.Parameter) bool { return named(p.Name, name) })
}

// named reports whether a parameter has a declared name. The declared name may end
// in a placeholder.
func named(declared, name string) bool {
	prefix, open := strings.CutSuffix(declared, "<name>")
	if !open {
		prefix, open = strings.CutSuffix(declared, "<key>")
	}
	return open && strings.HasPrefix(name, prefix) && len(name) > len(prefix) || !open && declared == name
}

// filter reads the filters that every list accepts. Empty values count as missing.
// It returns badRequest.
func filter(q url.Values) (f ingest.Filter, err error) {
	if f.From, err = moment(q, "from"); err != nil {
		return f, err
	}
	if f.To, err = moment(q, "to"); err != nil {
		return f, err
	}
	if f.To == 0 && q.Get("to") != "" {
		f.To = 1 // 0 would be no end
	}
	for _, list := range []struct {
		name string
		to   *[]string
	}{{"session_id", &f.Sessions}, {"type", &f.Types}, {"name", &f.Names}, {"tool", &f.Tools}, {"user_id", &f.Users},
		{"customer_id", &f.Customers}, {"model", &f.Models}, {"client_config", &f.Clients}, {"q", &f.Texts}} {
		*list.to = given(q, list.name)
	}
	for i, id := range f.Sessions {
		f.Sessions[i] = ingest.StoredID(id)
	}
	if f.Success, err = outcome(q, "success"); err != nil {
		return f, err
	}
	failed, err := outcome(q, "errors")
	if err != nil {
		return f, err
	}
	f.Errors = failed != nil && *failed
	if f.MinLatency, err = leastOf(q, "min_latency"); err != nil {
		return f, err
	}
	if err := openFilters(q, &f); err != nil {
		return f, err
	}
	return f, checkTerms(&f)
}

// given returns the values of a parameter. Empty values count as missing.
func given(q url.Values, name string) (out []string) {
	for _, v := range q[name] {
		if v != "" {
			out = append(out, v)
		}
	}
	return out
}

// checkTerms returns badRequest for a q without a word, and for more than maxWords
// words and values of metadata.
func checkTerms(f *ingest.Filter) error {
	n := 0
	for _, text := range f.Texts {
		found := len(words.Of(text))
		if found == 0 {
			return badRequest.At("q").Detailf("q must have a word: a letter or a digit")
		}
		if n += found; n > maxWords {
			return badRequest.At("q").Detailf("q has more than %d words", maxWords)
		}
	}
	for _, m := range f.Metadata {
		if n += len(m.Values); n > maxWords {
			return badRequest.At("metadata."+m.Name).Detailf("more than %d words and values of metadata are given", maxWords)
		}
	}
	return nil
}

// openFilters reads the filters by trait, metadata and score, whose names contain a
// name that the caller chooses.
func openFilters(q url.Values, f *ingest.Filter) error {
	names := make([]string, 0, len(q))
	for key := range q {
		names = append(names, key)
	}
	slices.Sort(names)
	for _, key := range names {
		values := q[key]
		if name, ok := strings.CutPrefix(key, "trait."); ok {
			f.Traits = append(f.Traits, ingest.Named{Name: name, Values: values})
		}
		if name, ok := strings.CutPrefix(key, "metadata."); ok {
			f.Metadata = append(f.Metadata, ingest.Named{Name: name, Values: values})
		}
		if name, ok := strings.CutPrefix(key, "score."); ok {
			if err := scoreFilter(f, key, name, values); err != nil {
				return err
			}
		}
	}
	return nil
}

// scoreFilter reads score.<name>, score.<name>.min and score.<name>.max.
func scoreFilter(f *ingest.Filter, key, name string, values []string) error {
	least, isMin := strings.CutSuffix(name, ".min")
	most, isMax := strings.CutSuffix(name, ".max")
	switch {
	case isMin:
		name = least
	case isMax:
		name = most
	}
	if name == "" {
		return badRequest.At(key).Detailf("%s must name a score", key)
	}
	at := slices.IndexFunc(f.Scores, func(s ingest.ScoreFilter) bool { return s.Name == name })
	if at < 0 {
		at = len(f.Scores)
		f.Scores = append(f.Scores, ingest.ScoreFilter{Name: name})
	}
	s := &f.Scores[at]
	if !isMin && !isMax {
		s.Values = values
		return nil
	}
	for _, v := range values {
		n, err := strconv.ParseFloat(v, 64)
		if err != nil || math.IsNaN(n) {
			return badRequest.At(key).Detailf("%s must be a number", key)
		}
		if isMin && (s.Min == nil || n < *s.Min) {
			s.Min = &n
		}
		if isMax && (s.Max == nil || n > *s.Max) {
			s.Max = &n
		}
	}
	return nil
}

// outcome reads true or false. It returns nil if the parameter is missing or has
// both values, so that it excludes nothing.
func outcome(q url.Values, name string) (out *bool, err error) {
	for _, text := range q[name] {
		if text == "" {
			continue
		}
		ok, err := strconv.ParseBool(text)
		if err != nil {
			return nil, badRequest.At(name).Detailf("%s must be true or false", name)
		}
		if out != nil && *out != ok {
			return nil, nil
		}
		out = &ok
	}
	return out, nil
}

// leastOf returns the least of the values of a parameter in milliseconds, 0 if it is
// missing. Empty values count as missing.
func leastOf(q url.Values, name string) (least int64, err error) {
	given := false
	for _, text := range q[name] {
		if text == "" {
			continue
		}
		n, err := countOf(url.Values{name: {text}}, name, 0)
		if err != nil {
			return 0, err
		}
		if !given || n < least {
			least, given = n, true
		}
	}
	return least, nil
}

// moment reads a time as epoch milliseconds or RFC 3339. It returns epoch
// milliseconds, 0 if the parameter is missing.
func moment(q url.Values, name string) (int64, error) {
	text := q.Get(name)
	if len(q[name]) > 1 {
		return 0, badRequest.At(name).Detailf("%s must be given once", name)
	}
	if text == "" {
		return 0, nil
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil && ms >= 0 && ms < 1<<51 {
		return ms, nil
	}
	// An unescaped plus sign is decoded as a space.
	if t, err := time.Parse(time.RFC3339Nano, strings.ReplaceAll(text, " ", "+")); err == nil {
		return min(max(t.Add(time.Millisecond-1).UnixMilli(), 0), 1<<51), nil // the first millisecond that is not before it
	}
	return 0, badRequest.At(name).Detailf("%s must be epoch milliseconds or RFC 3339", name)
}

// choice returns the index in words of a parameter's value, 0 if the parameter is
// missing. It returns badRequest for any other value.
func choice(q url.Values, name string, words ...string) (int, error) {
	text := q.Get(name)
	if text == "" {
		return 0, nil
	}
	if i := slices.Index(words, text); i >= 0 {
		return i, nil
	}
	return 0, badRequest.At(name).Detailf("%s must be one of %s", name, strings.Join(words, ", "))
}

// readRequest is the caller and the filters of a read.
type readRequest struct {
	caller
	ingest.Filter
	values url.Values
}

// parseRead reads the caller and the filters of a request. have are the parameters
// of its route; it returns badRequest for others. own are those parameters that are
// filters elsewhere, but have another meaning on this route.
func (h *Handler) parseRead(w http.ResponseWriter, r *http.Request, have []apidocs.Parameter, own ...string) (q readRequest, err error) {
	if q.caller, err = h.reader(w, r); err != nil {
		return q, err
	}
	q.values = r.URL.Query()
	if err := knownParameters(q.values, have); err != nil {
		return q, err
	}
	filters := q.values
	if len(own) > 0 {
		filters = maps.Clone(filters)
	}
	for _, name := range own {
		delete(filters, name)
	}
	q.Filter, err = filter(filters)
	return q, err
}
