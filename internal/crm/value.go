package crm

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"net/mail"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// MaxText is how many characters a value may have.
	MaxText = 65_536
	// isoMillis is how moments go out.
	isoMillis = "2006-01-02T15:04:05.000Z"
	dateOnly  = "2006-01-02"
)

// FormatTime writes a moment, given in microseconds, as it goes out.
func FormatTime(micros int64) string { return time.UnixMicro(micros).UTC().Format(isoMillis) }

// normal gives the form in which a value is kept, or the problem with it.
// current is the value that the record has, for a leading ";" that appends.
func (d *Definitions) normal(p *Property, v, current string) (string, *Problem) {
	fail := func(code, format string, args ...any) (string, *Problem) {
		return "", &Problem{Property: p.Name, Code: code, Message: fmt.Sprintf(format, args...)}
	}
	switch p.Type {
	case "number":
		if !isNumber(v) {
			return fail("INVALID_LONG", "%s was not a valid number.", v)
		}
		return v, nil
	case "bool":
		if v != "true" && v != "false" {
			return fail("INVALID_OPTION", "%s was not one of the allowed options: [true, false]", v)
		}
		return v, nil
	case "date":
		t, ok := parseTime(v)
		if !ok || !isMidnight(t) {
			return fail("INVALID_DATE", "%s was not a valid date.", v)
		}
		return t.Format(dateOnly), nil
	case "datetime":
		t, ok := parseTime(v)
		if !ok {
			return fail("INVALID_DATE", "%s was not a valid date.", v)
		}
		return t.Format(isoMillis), nil
	case "enumeration":
		return d.normalOption(p, v, current)
	}
	if utf8.RuneCountInString(v) > MaxText {
		return fail("PROPERTY_VALUE_TOO_LONG", "Property values can have a maximum of %d characters.", MaxText)
	}
	if p.Name == "email" && p.object == Contacts {
		v = strings.ToLower(strings.TrimSpace(v))
		if !isEmail(v) {
			return fail("INVALID_EMAIL", "Email address %s is invalid", v)
		}
	}
	return v, nil
}

func (d *Definitions) normalOption(p *Property, v, current string) (string, *Problem) {
	var kept []string // what the record has and the caller appends to
	if p.many() && strings.HasPrefix(v, ";") && current != "" {
		kept, v = split(current), current+v
	}
	parts := []string{v}
	if p.many() {
		parts = split(v)
		v = strings.Join(parts, ";")
	}
	if _, stage := p.object.stageNames(); p.Name == stage {
		return v, nil // checkStage looks at it together with the pipeline
	}
	for _, part := range parts {
		if slices.Contains(kept, part) {
			continue // also when its option was removed
		}
		if p.ReferencedObjectType == "OWNER" {
			if !d.isOwner(part) {
				return "", &Problem{p.Name, "INVALID_OWNER_ID", "Owner " + part + " does not exist"}
			}
			continue
		}
		if allowed := p.values(); len(allowed) > 0 && !slices.Contains(allowed, part) {
			return "", &Problem{p.Name, "INVALID_OPTION",
				fmt.Sprintf("%s was not one of the allowed options: [%s]", part, strings.Join(allowed, ", "))}
		}
	}
	return v, nil
}

// split gives the values of a set, without empty ones and duplicates, in order.
func split(v string) []string {
	var out []string
	for part := range strings.SplitSeq(v, ";") {
		if part != "" && !slices.Contains(out, part) {
			out = append(out, part)
		}
	}
	return out
}

func isEmail(v string) bool {
	a, err := mail.ParseAddress(v)
	if err != nil || a.Address != v || len(v) > 254 {
		return false
	}
	_, domain, _ := strings.Cut(v, "@")
	return strings.Contains(domain, ".") && !strings.HasSuffix(domain, ".")
}

func isNumber(v string) bool {
	for _, c := range v {
		if (c < '0' || c > '9') && !strings.ContainsRune("+-.eE", c) {
			return false
		}
	}
	f, err := strconv.ParseFloat(v, 64)
	return err == nil && !math.IsInf(f, 0)
}

// parseTime reads ISO 8601 or milliseconds since 1970.
func parseTime(v string) (time.Time, bool) {
	if ms, err := strconv.ParseInt(v, 10, 64); err == nil {
		if ms < -62135596800000 || ms > 253402300799999 { // the years 1 to 9999
			return time.Time{}, false
		}
		return time.UnixMilli(ms).UTC(), true
	}
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999", "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05.999Z0700", dateOnly} {
		if t, err := time.Parse(layout, v); err == nil {
			t = t.UTC().Truncate(time.Millisecond)
			return t, t.Year() >= 1 && t.Year() <= 9999
		}
	}
	return time.Time{}, false
}

func isMidnight(t time.Time) bool { return t.Equal(t.Truncate(24 * time.Hour)) }

// maxKey bounds a key, so that it fits the index of either database.
const maxKey = 240

// key gives the form of one value that compares as its property does, "" when
// the type knows no such value. A long text is cut and carries its hash, so
// that equal stays equal.
func (p *Property) key(v string) string {
	switch p.Type {
	case "number":
		f, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return ""
		}
		return numberKey(f)
	case "date", "datetime":
		if len(v) < len(dateOnly) || v[4] != '-' || v[7] != '-' { // from when the property had another type
			return ""
		}
		return v
	case "bool":
		return v
	case "enumeration":
	default:
		v = strings.ToLower(v)
	}
	v = strings.ReplaceAll(v, "\x00", "") // PostgreSQL keeps none
	if len(v) > maxKey {
		sum := sha256.Sum256([]byte(v))
		cut := maxKey - 33
		for !utf8.RuneStart(v[cut]) {
			cut--
		}
		v = v[:cut] + "~" + hex.EncodeToString(sum[:16])
	}
	return v
}

// numberKey writes a number as 16 digits whose order is the order of the numbers.
func numberKey(f float64) string {
	if f == 0 {
		f = 0 // -0 equals 0
	}
	bits := math.Float64bits(f)
	if bits>>63 != 0 {
		bits = ^bits
	} else {
		bits |= 1 << 63
	}
	return fmt.Sprintf("%016x", bits)
}

// keys gives the keys of a value: one, or one for each element of a set.
func (p *Property) keys(v string) []string {
	if !p.many() {
		return []string{p.key(v)}
	}
	parts := split(v)
	for i := range parts {
		parts[i] = p.key(parts[i])
	}
	return parts
}
