package httpkit

import (
	"errors"
	"strings"
	"testing"
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
		`{"count":"1"}`:                    `The value of "count" must be of type number.`,
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
