package schema

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// ISOMillis is the layout of moments in values and replies.
	ISOMillis = "2006-01-02T15:04:05.000Z"
	// DateOnly is the layout of dates.
	DateOnly = "2006-01-02"
)

// FormatTime returns a moment, given in microseconds, in the layout ISOMillis, UTC.
func FormatTime(micros int64) string { return time.UnixMicro(micros).UTC().Format(ISOMillis) }

// Split returns the values of a set, without empty ones and duplicates, in order.
func Split(v string) []string {
	var out []string
	for part := range strings.SplitSeq(v, ";") {
		if part != "" && !slices.Contains(out, part) {
			out = append(out, part)
		}
	}
	return out
}

// IsNumber reports whether v is a finite decimal number.
func IsNumber(v string) bool {
	for _, c := range v {
		if (c < '0' || c > '9') && !strings.ContainsRune("+-.eE", c) {
			return false
		}
	}
	f, err := strconv.ParseFloat(v, 64)
	return err == nil && !math.IsInf(f, 0)
}

// PlainNumber returns a number, for which IsNumber reports true, as a plain
// decimal: without an exponent, a plus sign or leading zeros.
func PlainNumber(v string) string {
	if strings.ContainsAny(v, "eE") {
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return v
		}
		v = strconv.FormatFloat(f, 'f', -1, 64)
	}
	sign := ""
	if v = strings.TrimPrefix(v, "+"); strings.HasPrefix(v, "-") {
		sign, v = "-", v[1:]
	}
	whole, fraction, _ := strings.Cut(v, ".")
	if whole = strings.TrimLeft(whole, "0"); whole == "" {
		whole = "0"
	}
	if fraction != "" {
		whole += "." + fraction
	}
	if strings.Trim(whole, "0.") == "" {
		sign = ""
	}
	return sign + whole
}

// ParseTime reads ISO 8601 or milliseconds since 1970, in the years 1 to 9999.
func ParseTime(v string) (time.Time, bool) {
	if ms, err := strconv.ParseInt(v, 10, 64); err == nil {
		if ms < -62135596800000 || ms > 253402300799999 { // the years 1 to 9999
			return time.Time{}, false
		}
		return time.UnixMilli(ms).UTC(), true
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05.999Z0700", DateOnly} {
		if t, err := time.Parse(layout, v); err == nil {
			t = t.UTC().Truncate(time.Millisecond)
			return t, t.Year() >= 1 && t.Year() <= 9999
		}
	}
	return time.Time{}, false
}

// IsMidnight reports whether t is the first moment of a day in UTC.
func IsMidnight(t time.Time) bool { return t.Equal(t.Truncate(24 * time.Hour)) }
