package crm

import (
	"fmt"
	"net/mail"
	"slices"
	"strings"
	"understudy/internal/crm/schema"
	"unicode/utf8"
)

// MaxText is the most characters in a value.
const MaxText = 65_536

// FormatTime formats a time, in microseconds, as replies contain it.
func FormatTime(micros int64) string { return schema.FormatTime(micros) }

// normal returns the stored form of a value, or the problem with it. current is
// the record's value, to which a leading ";" appends.
func (d *Definitions) normal(p *Property, v, current string) (string, *Problem) {
	fail := func(code, format string, args ...any) (string, *Problem) {
		return "", &Problem{Property: p.Name, Code: code, Message: fmt.Sprintf(format, args...)}
	}
	switch p.Type {
	case "number":
		if !schema.IsNumber(v) {
			return fail("INVALID_LONG", "%s was not a valid number.", v)
		}
		return schema.PlainNumber(v), nil
	case "bool":
		if v != "true" && v != "false" {
			return fail("INVALID_OPTION", "%s was not one of the allowed options: [true, false]", v)
		}
		return v, nil
	case "date":
		t, ok := schema.ParseTime(v)
		if !ok || !schema.IsMidnight(t) {
			return fail("INVALID_DATE", "%s was not a valid date.", v)
		}
		return t.Format(schema.DateOnly), nil
	case "datetime":
		t, ok := schema.ParseTime(v)
		if !ok {
			return fail("INVALID_DATE", "%s was not a valid date.", v)
		}
		return t.Format(schema.ISOMillis), nil
	case "enumeration":
		return d.normalOption(p, v, current)
	}
	if utf8.RuneCountInString(v) > MaxText {
		return fail("PROPERTY_VALUE_TOO_LONG", "Property values can have a maximum of %d characters.", MaxText)
	}
	if p.Name == "email" && p.Object == Contacts {
		v = strings.ToLower(strings.TrimSpace(v))
		if !isEmail(v) {
			return fail("INVALID_EMAIL", "Email address %s is invalid", v)
		}
	}
	return v, nil
}

func (d *Definitions) normalOption(p *Property, v, current string) (string, *Problem) {
	var kept []string // the current values to append to
	if p.Many() && strings.HasPrefix(v, ";") && current != "" {
		kept, v = schema.Split(current), current+v
	}
	parts := []string{v}
	if p.Many() {
		parts = schema.Split(v)
		v = strings.Join(parts, ";")
	}
	if _, stage := p.Object.StageNames(); p.Name == stage {
		return v, nil // checkStage validates it together with the pipeline
	}
	for _, part := range parts {
		if slices.Contains(kept, part) {
			continue // also if its option was removed
		}
		if p.ReferencedObjectType == "OWNER" {
			if !d.isOwner(part) {
				return "", &Problem{Property: p.Name, Code: "INVALID_OWNER_ID", Message: "Owner " + part + " does not exist"}
			}
			continue
		}
		if allowed := p.Values(); len(allowed) > 0 && !slices.Contains(allowed, part) {
			return "", &Problem{Property: p.Name, Code: "INVALID_OPTION",
				Message: fmt.Sprintf("%s was not one of the allowed options: [%s]", part, strings.Join(allowed, ", "))}
		}
	}
	return v, nil
}

func isEmail(v string) bool {
	a, err := mail.ParseAddress(v)
	if err != nil || a.Address != v || len(v) > 254 {
		return false
	}
	_, domain, _ := strings.Cut(v, "@")
	return strings.Contains(domain, ".") && !strings.HasSuffix(domain, ".")
}
