package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
)

// maxBody is the largest request body: room for a hundred records with long
// texts.
const maxBody = 8 << 20

// body decodes a JSON body into v. Its errors are those of the wire.
func (c *call) body(v any) error {
	_, err := c.readBody(v)
	return err
}

// readBody is body, and also returns the bytes.
func (c *call) readBody(v any) ([]byte, error) {
	if ct := c.r.Header.Get("Content-Type"); ct != "" {
		if media, _, err := mime.ParseMediaType(ct); err != nil || media != "application/json" && !strings.HasSuffix(media, "+json") {
			return nil, errMediaType
		}
	} else if c.r.ContentLength != 0 && c.r.Body != nil && c.r.Body != http.NoBody {
		return nil, errMediaType
	}
	b, err := httpkit.ReadBody(c.r, maxBody)
	if err != nil {
		return nil, err
	}
	if len(bytes.TrimSpace(b)) == 0 {
		return nil, badInput("Invalid input JSON on line 1, column 1: No content to map due to end-of-input")
	}
	if string(bytes.TrimSpace(b)) == "null" { // the decoder reads it as an empty value, and refuses a number
		b = bytes.Replace(b, []byte("null"), []byte("0"), 1)
	}
	if err := httpkit.DecodeJSON(c.ctx, b, v); err != nil {
		return nil, located(b, v, err)
	}
	c.sent = b
	return b, nil
}

// located returns the error for an invalid body with its position: the wrong
// character, an early end, or the value whose type differs from that of v.
func located(body []byte, v any, err error) error {
	if inner, ok := fault.As(errors.Unwrap(err)); ok {
		raw, _ := inner.Attrs.(misfit)
		line, column := position(body, max(bytes.Index(body, raw), 0))
		return badInput("Invalid input JSON on line %d, column %d: %s", line, column, inner.Detail)
	}
	if !errors.Is(err, httpkit.BadJSON) {
		return err
	}
	detail, offset := "", 0
	var syntax *json.SyntaxError
	var kind *json.UnmarshalTypeError
	switch again := json.Unmarshal(body, reflect.New(reflect.TypeOf(v).Elem()).Interface()); {
	case errors.As(again, &syntax):
		detail, offset = syntax.Error(), int(syntax.Offset)
		if offset >= len(body) && detail == "unexpected end of JSON input" {
			offset = len(body) + 1
		}
	case errors.As(again, &kind):
		if offset = int(kind.Offset); offset == 0 { // a value that decodes itself: its name is near
			name := kind.Field[strings.LastIndexByte(kind.Field, '.')+1:]
			offset = bytes.Index(body, []byte(strconv.Quote(name))) + 1
		}
		if e, ok := fault.As(err); ok {
			detail = e.Detail
		}
	default:
		return err
	}
	line, column := position(body, max(offset-1, 0))
	return badInput("Invalid input JSON on line %d, column %d: %s", line, column, detail)
}

// position returns the line and the column of an offset, both from 1.
func position(body []byte, offset int) (line, column int) {
	before := body[:min(offset, len(body))]
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[bytes.LastIndexByte(before, '\n')+1:]) + 1
}

// list reads a query parameter that may be repeated and contain several names
// separated by commas.
func (c *call) list(name string) []string {
	var out []string
	for _, v := range c.r.URL.Query()[name] {
		for s := range strings.SplitSeq(v, ",") {
			if s = strings.TrimSpace(s); s != "" && !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	return out
}

// flag reads a boolean query parameter.
func (c *call) flag(name string) (bool, error) {
	switch v := c.r.URL.Query().Get(name); strings.ToLower(v) {
	case "", "false":
		return false, nil
	case "true":
		return true, nil
	default:
		return false, badInput("Query parameter %s must be true or false, not %q", name, v)
	}
}

// limit reads the page size.
func (c *call) limit(standard, most int) (int, error) {
	v := c.r.URL.Query().Get("limit")
	if v == "" {
		return standard, nil
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 1 || n > most {
		return 0, badInput("Invalid limit %q: it must be a number from 1 to %d", v, most)
	}
	return n, nil
}

// after reads the cursor of a list in the order of ids.
func (c *call) after() (int64, error) {
	v := c.r.URL.Query().Get("after")
	if v == "" {
		return 0, nil
	}
	n, err := strconv.ParseInt(v, 10, 64)
	if err != nil || n < 0 {
		return 0, badInput("Invalid after cursor %q", v)
	}
	return n, nil
}

// link returns the absolute URL of this list after a cursor.
func (c *call) link(after string) string {
	q := c.r.URL.Query()
	q.Set("after", after)
	return httpkit.Origin(c.r) + c.path() + "?" + q.Encode()
}

// objects returns the URL of the records' routes: of the date in the path of the
// request, else of a version.
func (c *call) objects(version string) string {
	path := c.path()
	at := strings.LastIndex(path, "/crm/")
	if c.dated {
		return httpkit.Origin(c.r) + path[:at] + "/crm/objects/" + strings.Split(path[at:], "/")[3]
	}
	return httpkit.Origin(c.r) + path[:at] + "/crm/" + version + "/objects"
}

// path returns the path of the request as the client sent it, including the
// prefix of the service.
func (c *call) path() string {
	path, _, _ := strings.Cut(c.r.RequestURI, "?")
	if _, rest, ok := strings.Cut(path, "://"); ok { // a request to a proxy also contains the host
		_, path, _ = strings.Cut(rest, "/")
		path = "/" + path
	}
	return path
}

// checkTexts returns an error for fields with invalid text.
func checkTexts(fields url.Values) error {
	for name, values := range fields {
		for _, s := range append(values, name) {
			if !httpkit.IsText(s) {
				return badInput("Parameter %q must be UTF-8 text without the NUL character", name)
			}
		}
	}
	return nil
}
