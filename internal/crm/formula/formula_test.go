package formula_test

import (
	"fmt"
	"strings"
	"testing"

	"understudy/internal/crm/formula"
)

var values = map[string]string{"amount": "1200.50", "discount": "0.1", "quantity": "3", "dealname": "Mill Studio", "city": "Berlin",
	"is_hot": "true", "closedate": "2026-03-09T12:00:00.000Z", "day": "2025-12-31", "bad": "x"}

func read(name string) string { return values[name] }

func TestFormulas(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"amount * quantity":   "3601.5",
		"amount*(1-discount)": "1080.45",
		"0.1 + 0.2":           "0.3",
		"-quantity - -2":      "-1",
		"10 - 4 - 3":          "3",
		"2 + 3 * 4 / 6":       "4",
		"1 / 0":               "",
		"amount + missing":    "",
		"bad + 1":             "",
		"string(dealname) + ' in ' + string(city)":                               "Mill Studio in Berlin",
		`concatenate("a", 'b', string(city))`:                                    "abBerlin",
		"contains(string(dealname), 'Mill')":                                     "true",
		"begins_with(string(city), 'ber')":                                       "false",
		"quantity >= 3 and bool(is_hot)":                                         "true",
		"not bool(is_hot) || quantity != 3":                                      "false",
		"!(1 = 2) && 'a' < 'b'":                                                  "true",
		"quantity equals 3":                                                      "true",
		"true == false":                                                          "false",
		"if quantity > 5 then 'many' elseif quantity > 2 then 'some' else 'few'": "some",
		"if quantity > 5 then 1":                                                 "",
		"if is_present(missing) then 1 else 2":                                   "2",
		"if missing > 1 then 1 else 2":                                           "",
		"IF quantity = 3 THEN IF quantity = 4 THEN 1 ELSE 2 ELSE 3":              "2",
		"max(quantity, 7) + min(1, 2)":                                           "8",
		"max(1, quantity, 7, 2) + min(4, 3, 1, quantity)":                        "8",
		"coalesce(missing, 0) + coalesce(bad, missing, quantity, 1)":             "3",
		"coalesce(string(missing), string(city), 'x')":                           "Berlin",
		"coalesce(missing, bad)":                                                 "",
		"coalesce(missing)":                                                      "error",
		"coalesce(missing, 'x')":                                                 "error",
		"round_nearest(amount / 7, 2)":                                           "171.5",
		"round_up(1.01) + round_down(1.99)":                                      "3",
		"abs(-2) + sqrt(16) + pow(2, 10)":                                        "1030",
		"sqrt(-1)":                                                               "",
		"parse_number('12.5') * 2":                                               "25",
		"parse_number('x')":                                                      "",
		"number_to_string(amount)":                                               "1200.5",
		"year(closedate) * 100 + month(day)":                                     "202612",
		"closedate - closedate":                                                  "0",
		"1e5":                                                                    "error",
		"":                                                                       "error",
		"1 +":                                                                    "error",
		"1 + 'a'":                                                                "error",
		"(1":                                                                     "error",
		"if 1 then 2":                                                            "error",
		"if true then 1 else 'a'":                                                "error",
		"unknown(1)":                                                             "error",
		"max(1)":                                                                 "error",
		"'open":                                                                  "error",
		"a; b":                                                                   "error",
		"1 2":                                                                    "error",
		"if":                                                                     "error",
		"year('x')":                                                              "error",
		strings.Repeat("(", 200) + "1" + strings.Repeat(")", 200): "error",
		strings.Repeat("-", 5000) + "1":                           "error",
		strings.Repeat("!", 5000) + "true":                        "error",
	} {
		f, err := formula.Parse(text)
		if err != nil {
			if want != "error" {
				t.Errorf("%s: %v", text, err)
			}
			continue
		}
		if got := f.Compute(read); got != want {
			t.Errorf("%.80s: %q, want %q", text, got, want)
		}
	}
}

func TestFormulasNameTheirPropertiesAndKind(t *testing.T) {
	t.Parallel()
	f, err := formula.Parse("if bool(b) then string(a) else concatenate(string(c), string(a))")
	if err != nil || f.Kind() != formula.Text || fmt.Sprint(f.Reads()) != "[{a string} {b bool} {c string}]" {
		t.Fatal(f, err)
	}
}

// FuzzParse parses any text: it is a formula that computes, or an error with a place in the text.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"amount * (1 - 0.5)", "if a > 1 then 'x' elseif not bool(b) then string(c) else \"\"", "concatenate('a','b')", "1 = 2 || 3 >= 4 && !true", "-1--1", "pow(9,9)*1.5.5"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := formula.Parse(text)
		if err != nil {
			if e, ok := err.(*formula.Error); !ok || e.At < 0 || e.At > len(text) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		for _, v := range []string{"", "1", "-0.5", "true", "2026-03-01", "text", "1e308"} {
			parsed.Compute(func(string) string { return v })
		}
	})
}
