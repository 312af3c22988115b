package main

import (
	"errors"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

var figure = regexp.MustCompile(`^[^0-9]*([0-9][0-9,]*(?:\.[0-9]+)?) ?([a-zµA-Z%]*)`)

// read returns the first number of a text and the word behind it.
func read(text string) (n float64, unit string, err error) {
	found := figure.FindStringSubmatch(text)
	if found == nil {
		return 0, "", fmt.Errorf("there is no number in %q", text)
	}
	n, err = strconv.ParseFloat(strings.ReplaceAll(found[1], ",", ""), 64)
	return n, found[2], err
}

// after returns what follows a word in a text.
func after(word, text string) (string, error) {
	_, rest, found := strings.Cut(text, word)
	if !found {
		return "", fmt.Errorf("there is no %q in %q", word, text)
	}
	return rest, nil
}

// round returns a number with so many digits that count.
func round(digits int, n float64) string {
	if n == 0 {
		return "0"
	}
	unit := math.Pow10(int(math.Floor(math.Log10(n))) + 1 - digits)
	n = math.Round(n/unit) * unit
	text := strconv.FormatFloat(n, 'f', max(0, -int(math.Floor(math.Log10(unit)+0.5))), 64)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	if whole := len(text); n >= 1000 && !strings.Contains(text, ".") {
		for at := whole - 3; at > 0; at -= 3 {
			text = text[:at] + "," + text[at:]
		}
	}
	return text
}

// number returns the first number of a text.
func number(digits int, text string) (string, error) {
	n, _, err := read(text)
	return round(digits, n), err
}

// percent returns a ratio in percent.
func percent(text string) (string, error) {
	n, _, err := read(text)
	return round(2, 100*n), err
}

// milliseconds are those of the units of time.
var milliseconds = map[string]float64{"µs": 0.001, "ms": 1, "s": 1000}

// ms returns a time in milliseconds.
func ms(digits int, text string) (string, error) {
	n, unit, err := read(text)
	if err == nil && milliseconds[unit] == 0 {
		err = fmt.Errorf("%q is no time", text)
	}
	return round(digits, n*milliseconds[unit]), err
}

// mib returns KiB as MiB.
func mib(text string) (string, error) {
	n, unit, err := read(text)
	if err == nil && unit != "KiB" {
		err = fmt.Errorf("%q is not in KiB", text)
	}
	return round(1, n/1024), err
}

// span returns two figures as a range, the lower one first, or one when they are
// the same.
func span(a, b string) (string, error) {
	n, _, err := read(a)
	m, _, other := read(b)
	switch {
	case err != nil || other != nil:
		return "", errors.Join(err, other)
	case a == b:
		return a, nil
	case n > m:
		a, b = b, a
	}
	return a + " to " + b, nil
}
