package rest

import (
	"encoding/json"
	"math"
	"unicode/utf8"
	"unsafe"

	"github.com/valyala/fastjson"

	"understudy/internal/ingest"
	"understudy/internal/ingest/jsonvalue"
	"understudy/internal/platform/jsontext"
)

const (
	maxMetadataKeys  = 256
	maxMetadataBytes = 256 << 10
)

var parsers fastjson.ParserPool

// maxKept bounds the size, in bytes, of bodies whose parsers are reused: a parser
// keeps the memory that its largest body needed.
const maxKept = 1 << 20

// done returns the parser of body b to the pool, or drops it if b is longer than
// maxKept. The values that it parsed must no longer be in use.
func done(p *fastjson.Parser, b []byte) {
	if len(b) <= maxKept {
		parsers.Put(p)
	}
}

// parseObject parses a body that must be one JSON object. The result shares memory
// with the parser. It returns badJSON and badRequest.
func parseObject(p *fastjson.Parser, b []byte) (*fastjson.Object, error) {
	v, err := p.ParseBytes(b)
	switch {
	case err != nil && jsontext.Nests(b, fastjson.MaxDepth):
		return nil, tooDeep
	case err != nil:
		return nil, badJSON
	}
	// The parser accepts malformed numbers and control characters, so the body is
	// validated too. The parser runs first because it limits the depth, which the
	// validation does not.
	if fastjson.ValidateBytes(b) != nil {
		return nil, badJSON
	}
	o, err := v.Object()
	if err != nil {
		return nil, badRequest.Detailf("The body must be a JSON object.")
	}
	return o, nil
}

// isAbsent reports whether a field counts as missing: clients in some languages send
// null or an empty text for an optional field without a value.
func isAbsent(v *fastjson.Value) bool {
	t := v.Type()
	return t == fastjson.TypeNull || t == fastjson.TypeString && len(v.GetStringBytes()) == 0
}

// decodeEvent reads the fields of an event. It returns ValidationFailed for a
// value of the wrong type. Unknown fields are ignored.
func decodeEvent(o *fastjson.Object, c caller) (e ingest.Event, err error) {
	e = ingest.Event{Success: true, Latency: ingest.Absent, InputTokens: ingest.Absent, OutputTokens: ingest.Absent}
	o.Visit(func(key []byte, v *fastjson.Value) {
		if err != nil || isAbsent(v) {
			return
		}
		switch string(key) {
		case "event_id":
			e.ID, err = text("event_id", v)
		case "session_id":
			e.Session, err = text("session_id", v)
		case "parent_id":
			e.Parent, err = text("parent_id", v)
		case "primitive_name":
			e.Name, err = text("primitive_name", v)
		case "primitive_type":
			e.Type, err = text("primitive_type", v)
		case "model":
			e.Model, err = text("model", v)
		case "customer_id":
			e.Customer, err = text("customer_id", v)
		case "user_id":
			e.User, err = text("user_id", v)
		case "args":
			e.Args, err = payload("args", v)
		case "result":
			e.Result, err = payload("result", v)
		case "success":
			if t := v.Type(); t != fastjson.TypeTrue && t != fastjson.TypeFalse {
				err = wrongType("success", "a boolean")
				return
			}
			e.Success = v.Type() == fastjson.TypeTrue
		case "latency":
			e.Latency, err = number("latency", v, true)
		case "input_tokens":
			e.InputTokens, err = number("input_tokens", v, false)
		case "output_tokens":
			e.OutputTokens, err = number("output_tokens", v, false)
		case "timestamp":
			if e.Time, err = number("timestamp", v, false); err == nil && e.Time == 0 {
				e.Time = 1 // 0 would count as missing
			}
		case "metadata":
			e.Metadata, err = metadata("metadata", v, c)
		case "checkpoints":
			if v.Type() == fastjson.TypeArray {
				e.Checkpoints, err = metadata("checkpoints", v, c)
			}
		}
	})
	if err != nil {
		return e, err
	}
	e.Session, e.Args, e.Result = c.blank(e.Session), c.blank(e.Args), c.blank(e.Result)
	return e, nil
}

func wrongType(field, want string) error {
	return ingest.ValidationFailed.At(field).Detailf("%s must be %s", field, want)
}

// text returns a string that shares memory with the parser. It returns
// ValidationFailed for another type.
func text(field string, v *fastjson.Value) (string, error) {
	b, err := v.StringBytes()
	if err != nil {
		return "", wrongType(field, "a string")
	}
	return unsafe.String(unsafe.SliceData(b), len(b)), nil
}

// payload returns a string unchanged, and an object or array as JSON text. It
// returns ValidationFailed for another type.
func payload(field string, v *fastjson.Value) (string, error) {
	if t := v.Type(); t == fastjson.TypeObject || t == fastjson.TypeArray {
		b := jsonvalue.Append(make([]byte, 0, 128), v)
		return unsafe.String(unsafe.SliceData(b), len(b)), nil
	}
	s, err := text(field, v)
	if err != nil {
		return "", wrongType(field, "a string, or an object or array")
	}
	return s, nil
}

// number returns a number of 0 or more. It rounds a fraction if fraction is set.
// It returns ValidationFailed for anything else.
func number(field string, v *fastjson.Value, fraction bool) (int64, error) {
	want := "an integer, 0 or more"
	if fraction {
		want = "a number, 0 or more"
	}
	if v.Type() != fastjson.TypeNumber {
		return 0, wrongType(field, want)
	}
	if n, err := v.Int64(); err == nil {
		if n < 0 {
			return 0, wrongType(field, want)
		}
		return n, nil
	}
	f, err := v.Float64()
	if err != nil || math.IsNaN(f) || f < 0 || f > 1<<62 || !fraction && f != math.Trunc(f) {
		return 0, wrongType(field, want)
	}
	return int64(math.Round(f)), nil
}

// metadata returns the JSON text of an object or array, with credentials removed.
// The field "metadata" must be an object. It returns ValidationFailed for another
// type, and for more than maxMetadataKeys members or maxMetadataBytes bytes.
func metadata(field string, v *fastjson.Value, c caller) (string, error) {
	size := 0
	switch v.Type() {
	case fastjson.TypeObject:
		o, _ := v.Object()
		size = o.Len()
	case fastjson.TypeArray:
		a, _ := v.Array()
		size = len(a)
	default:
		return "", wrongType(field, "an object")
	}
	if field == "metadata" && v.Type() != fastjson.TypeObject {
		return "", wrongType(field, "an object")
	}
	if size > maxMetadataKeys {
		return "", ingest.ValidationFailed.At(field).Detailf("%s has %d members; limit is %d", field, size, maxMetadataKeys)
	}
	c.redact(v)
	b := jsonvalue.Append(nil, v)
	if len(b) > maxMetadataBytes {
		return "", ingest.ValidationFailed.At(field).Detailf("%s is %d bytes; limit is %d", field, len(b), maxMetadataBytes)
	}
	return c.blank(unsafe.String(unsafe.SliceData(b), len(b))), nil
}

// decodeSession reads a session. Members that the specification does not contain
// become attributes, at most maxMetadataKeys of them. It returns ValidationFailed
// for a value of the wrong type.
func decodeSession(o *fastjson.Object, c caller) (s ingest.Session, err error) {
	s = ingest.Session{Registered: true, Traits: ingest.Members{}, Metadata: ingest.Members{}, Attributes: ingest.Members{}}
	o.Visit(func(key []byte, v *fastjson.Value) {
		if err != nil || isAbsent(v) {
			return
		}
		switch string(key) {
		case "session_id":
			s.ID, err = text("session_id", v)
		case "client_config":
			s.Client, err = text("client_config", v)
		case "timestamp":
			if s.Started, err = number("timestamp", v, false); err == nil && s.Started == 0 {
				s.Started = 1
			}
		case "metadata":
			if v.Type() != fastjson.TypeObject {
				err = wrongType("metadata", "an object")
				return
			}
			if _, err = metadata("metadata", v, c); err == nil {
				s.Metadata = members(v, c)
			}
		case "user_data":
			err = decodeUser(v, c, &s)
		case "org_id", "event_id":
		default:
			c.redactMember(key, v)
			if raw := c.blank(string(jsonvalue.Append(nil, v))); raw != `""` && len(s.Attributes) < maxMetadataKeys {
				s.Attributes[c.blank(string(key))] = json.RawMessage(raw)
			}
		}
	})
	s.ID = c.blank(s.ID)
	return s, err
}

func decodeUser(v *fastjson.Value, c caller, s *ingest.Session) error {
	o, err := v.Object()
	if err != nil {
		return wrongType("user_data", "an object")
	}
	for _, name := range []string{"user_id", "userId"} {
		id := o.Get(name)
		if id == nil || id.Type() == fastjson.TypeNull || name == "userId" && !c.lenient {
			continue
		}
		if id.Type() == fastjson.TypeNumber && c.lenient { // the published clients also send numbers
			s.User = string(jsonvalue.Append(nil, id))
		} else if s.User, err = text("user_data.user_id", id); err != nil {
			return err
		}
		o.Del(name)
		break
	}
	c.redact(v)
	s.Traits = members(v, c)
	return nil
}

// members returns the members of an object, each value as its JSON text.
func members(v *fastjson.Value, c caller) ingest.Members {
	out := ingest.Members{}
	o, _ := v.Object()
	o.Visit(func(key []byte, v *fastjson.Value) {
		out[c.blank(string(key))] = json.RawMessage(c.blank(string(jsonvalue.Append(nil, v))))
	})
	return out
}

// validText reports whether all texts of an event are UTF-8.
func validText(e *ingest.Event) bool {
	for _, s := range [...]string{e.ID, e.Session, e.Parent, e.Name, e.Type, e.Model, e.Customer, e.User,
		e.Args, e.Result, e.Metadata, e.Checkpoints} {
		if !utf8.ValidString(s) {
			return false
		}
	}
	return true
}
