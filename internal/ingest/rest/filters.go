package rest

import (
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"understudy/internal/ingest"
	"understudy/internal/platform/page"
)

const (
	standardPage = 50
	maxPage      = 1000
)

// paging reads limit and cursor. It returns badRequest.
func paging(r *http.Request, kind string) (position string, limit int, err error) {
	q := r.URL.Query()
	asked := 0
	if text := q.Get("limit"); text != "" {
		if asked, err = strconv.Atoi(text); err != nil || asked < 1 {
			return "", 0, badRequest.At("limit").Detailf("limit must be a number of 1 or more")
		}
	}
	position, err = page.Decode(kind, q.Get("cursor"))
	if err != nil {
		return "", 0, badCursor()
	}
	return position, page.Limit(asked, standardPage, maxPage), nil
}

func badCursor() error {
	return badRequest.At("cursor").Detailf("cursor must be one that this list gave")
}

// numbered splits a position of the form "<number>,<text>".
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

// filter reads the filters that every list takes.
func filter(q url.Values) (f ingest.Filter, err error) {
	if f.From, err = moment(q, "from"); err != nil {
		return f, err
	}
	if f.To, err = moment(q, "to"); err != nil {
		return f, err
	}
	f.Tool, f.Model, f.User, f.Customer = q.Get("tool"), q.Get("model"), q.Get("user_id"), q.Get("customer_id")
	if text := q.Get("success"); text != "" {
		ok, err := strconv.ParseBool(text)
		if err != nil {
			return f, badRequest.At("success").Detailf("success must be true or false")
		}
		f.Success = &ok
	}
	for key, values := range q {
		if name, ok := strings.CutPrefix(key, "trait."); ok {
			for _, v := range values {
				f.Traits = append(f.Traits, ingest.Trait{Name: name, Value: v})
			}
		}
	}
	return f, nil
}

// moment reads epoch milliseconds or RFC 3339; 0 when left out.
func moment(q url.Values, name string) (int64, error) {
	text := q.Get(name)
	if text == "" {
		return 0, nil
	}
	if ms, err := strconv.ParseInt(text, 10, 64); err == nil && ms >= 0 && ms < 1<<51 {
		return ms, nil
	}
	// A plus sign that was not escaped arrives as a space.
	if t, err := time.Parse(time.RFC3339Nano, strings.ReplaceAll(text, " ", "+")); err == nil {
		return max(t.UnixMilli(), 0), nil
	}
	return 0, badRequest.At(name).Detailf("%s must be epoch milliseconds or RFC 3339", name)
}
