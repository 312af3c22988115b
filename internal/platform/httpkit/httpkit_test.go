package httpkit

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"understudy/internal/platform/budget"
)

func TestDecodeJSON(t *testing.T) {
	type in struct {
		Name  string   `json:"name"`
		Count int      `json:"count"`
		Tags  []string `json:"tags"`
	}
	for body, want := range map[string]string{
		"":                                 ``,
		"  \n":                             ``,
		`{}`:                               ``,
		`{"name":"x","more":{"a":[1]}}`:    ``,
		`{"name":"a \\u0000 b"}`:           ``, // an escaped backslash, not a NUL
		`{"name":1}`:                       `The value of "name" must be of type string.`,
		`{"count":"1"}`:                    `The value of "count" must be of type integer.`,
		`{"tags":"a"}`:                     `The value of "tags" must be of type array.`,
		`[]`:                               `The request body must be a JSON object.`,
		`"text"`:                           `The request body must be a JSON object.`,
		`{`:                                `The request body is not valid JSON.`,
		`{} {}`:                            `The request body is not valid JSON.`,
		`{"name":"a\u0000b"}`:              `Text must not hold the NUL character.`,
		"{\"name\":\"\xff\"}":              `The request body is not UTF-8.`,
		`{"x":` + strings.Repeat("[", 200): `The JSON is nested too deeply.`,
	} {
		var v in
		err := DecodeJSON(t.Context(), []byte(body), &v)
		if want == "" {
			if err != nil {
				t.Errorf("%.40q: %v", body, err)
			}
			continue
		}
		if !errors.Is(err, BadJSON) || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: %v, want %s", body, err, want)
		}
	}
}

// A body that grows is counted with the copy that it grows out of.
func TestAGrowingBodyIsCountedWithItsOldCopy(t *testing.T) {
	for _, announced := range []int64{-1, 20 << 20} {
		ctx, end := context.WithCancel(t.Context())
		b, err := ReadAll(ctx, io.LimitReader(zeros{}, 20<<20), announced, 1<<20, 20<<20)
		held := budget.Held()
		end()
		if err != nil || len(b) != 20<<20 || held < 35<<20 || held > 48<<20 {
			t.Errorf("%d bytes, %d held, %v", len(b), held, err)
		}
		for budget.Held() > 0 {
			time.Sleep(time.Millisecond)
		}
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }
