package engine

import (
	"math"
	"strconv"
	"time"
)

// appendFloat appends the shortest form that parses as v, as ECMAScript does.
func appendFloat(buf []byte, v float64) []byte {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.AppendInt(buf, int64(v), 10)
	}
	format := byte('f')
	if abs := math.Abs(v); abs < 1e-6 || abs >= 1e21 {
		format = 'e'
	}
	return strconv.AppendFloat(buf, v, format, -1, 64)
}

// appendTime appends t in UTC with milliseconds, as ECMAScript's toISOString
// does. Replies have thousands of times, so it does not use time.Format.
func appendTime(buf []byte, t time.Time) []byte {
	t = t.UTC()
	year, month, day := t.Date()
	if year < 0 || year > 9999 {
		return append(t.AppendFormat(append(buf, '"'), "2006-01-02T15:04:05.000Z"), '"')
	}
	hour, minute, second := t.Clock()
	buf = append(buf, '"')
	buf = digits(buf, year/100)
	buf = digits(buf, year%100)
	buf = digits(append(buf, '-'), int(month))
	buf = digits(append(buf, '-'), day)
	buf = digits(append(buf, 'T'), hour)
	buf = digits(append(buf, ':'), minute)
	buf = digits(append(buf, ':'), second)
	millis := t.Nanosecond() / 1e6
	buf = append(buf, '.', byte('0'+millis/100))
	buf = digits(buf, millis%100)
	return append(buf, 'Z', '"')
}

// digits appends a number below 100.
func digits(buf []byte, n int) []byte { return append(buf, byte('0'+n/10), byte('0'+n%10)) }
