package args

import (
	"bytes"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"strings"

	"understudy/internal/messaging/rawjson"
	"understudy/internal/platform/fault"
)

// Bounds on requests.
const (
	maxArgs    = 1000 // arguments in the query or in the body
	maxArgName = 100  // bytes
	maxDepth   = 64   // levels of arrays and objects in a JSON body
)

// Read reads the arguments of a request, given its whole, decompressed body. It
// ignores the body of a GET, and the type of an empty body: clients announce JSON
// and send nothing.
//
// Its errors are those of a body: invalid_post_type, missing_post_type,
// invalid_charset, invalid_form_data, invalid_json, json_not_object,
// invalid_arg_name, invalid_array_arg, and request_timeout for a body shorter
// than its Content-Length.
func Read(r *http.Request, body []byte) (*Args, *fault.Error) {
	a := &Args{}
	if r.URL.RawQuery != "" {
		if err := a.readForm([]byte(r.URL.RawQuery), form, true); err != nil {
			return nil, err
		}
	}
	queryFields := len(a.fields)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		if err := a.readBody(r, body); err != nil {
			return nil, err
		}
	}
	a.Token = bearer(r.Header.Get("Authorization"))
	if a.Token == "" {
		inBody := Args{fields: a.fields[queryFields:]}
		a.Token, _ = inBody.String("token")
	}
	if a.Token == "" {
		inQuery := Args{fields: a.fields[:queryFields]}
		a.Token, _ = inQuery.String("token")
	}
	return a, nil
}

// bearer returns the token of an Authorization header, or "" for another scheme.
func bearer(header string) string {
	scheme, token, ok := strings.Cut(strings.TrimSpace(header), " ")
	if !ok || !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return clean(strings.TrimSpace(token))
}

func (a *Args) readBody(r *http.Request, body []byte) *fault.Error {
	if int64(len(body)) < r.ContentLength && r.Header.Get("Content-Encoding") == "" {
		return refuse(RequestTimeout, "the body is shorter than its Content-Length")
	}
	if len(body) == 0 {
		return nil
	}
	header := r.Header.Get("Content-Type")
	if header == "" {
		return refuse(MissingPostType, "the request has a body and no Content-Type")
	}
	kind, params := mediaType(header)
	charset := params["charset"]
	latin := strings.EqualFold(charset, "iso-8859-1")
	if charset != "" && !latin && !strings.EqualFold(charset, "utf-8") && !strings.EqualFold(charset, "utf8") {
		return refuse(InvalidCharset, "charset must be utf-8 or iso-8859-1")
	}
	code := form
	if latin {
		code = formLatin
	}
	switch kind {
	case "application/json":
		if charset == "" {
			a.Warnings = append(a.Warnings, missingCharset)
		}
		if latin {
			body = []byte(latin1(body))
		}
		return a.readJSON(body)
	case "application/x-www-form-urlencoded":
		if charset != "" {
			a.Warnings = append(a.Warnings, superfluousCharset)
		}
		return a.readForm(body, code, false)
	case "text/plain":
		return a.readForm(body, code, false)
	case "multipart/form-data":
		return a.readMultipart(body, params["boundary"], latin)
	}
	return refuse(InvalidPostType, "unsupported Content-Type "+kind)
}

// mediaType parses a Content-Type. The two most frequent ones take a fast path.
func mediaType(header string) (string, map[string]string) {
	switch header {
	case "application/json", "application/x-www-form-urlencoded":
		return header, nil
	}
	kind, params, err := mime.ParseMediaType(header)
	if err != nil {
		kind, _, _ = strings.Cut(header, ";")
		return strings.ToLower(strings.TrimSpace(kind)), nil
	}
	return kind, params
}

func (a *Args) add(name, value []byte, code coding) *fault.Error {
	if len(name) == 0 || len(name) > maxArgName {
		return refuse(InvalidArgName, "the name of an argument is empty or too long")
	}
	for i, c := range name {
		switch {
		case c >= 'a' && c <= 'z', c >= 'A' && c <= 'Z', c >= '0' && c <= '9', c == '_':
		case c == '[' && i > 0:
			return refuse(InvalidArrayArg, "arrays are sent as one argument, separated by commas").At(string(name[:i]))
		default:
			return refuse(InvalidArgName, "names of arguments may only have letters, digits and underscores")
		}
	}
	if a.fields == nil {
		a.fields = make([]field, 0, 4)
	}
	a.fields = append(a.fields, field{name: name, value: value, code: code})
	return nil
}

func (a *Args) readJSON(body []byte) *fault.Error {
	body = rawjson.Trim(body)
	if len(body) == 0 {
		return nil
	}
	if !rawjson.Valid(body, maxDepth) {
		return refuse(InvalidJSON, "the body is not JSON")
	}
	if body[0] != '{' {
		return refuse(JSONNotObject, "the body is not a JSON object")
	}
	n := 0
	for key, value := range rawjson.Members(body) {
		if n++; n > maxArgs {
			return refuse(InvalidJSON, "too many arguments")
		}
		name := key[1 : len(key)-1]
		if bytes.IndexByte(name, '\\') >= 0 {
			name = []byte(rawjson.Unquote(key))
		}
		if err := a.add(name, value, jsonValue); err != nil {
			return err
		}
	}
	return nil
}

// readForm reads percent-encoded pairs. If lenient, as for the query, it leaves
// invalid escapes unchanged.
func (a *Args) readForm(data []byte, code coding, lenient bool) *fault.Error {
	for n := 0; len(data) > 0; {
		var pair []byte
		pair, data, _ = bytes.Cut(data, []byte{'&'})
		if len(pair) == 0 {
			continue
		}
		if n++; n > maxArgs {
			return refuse(InvalidFormData, "too many arguments")
		}
		name, value, _ := bytes.Cut(pair, []byte{'='})
		name, nameOK := unescape(name)
		if !lenient && (!nameOK || !escaped(value)) {
			return refuse(InvalidFormData, "the form has a broken percent escape")
		}
		if err := a.add(name, value, code); err != nil {
			return err
		}
	}
	return nil
}

// readMultipart reads the fields of a multipart body and skips files, which no
// method accepts.
func (a *Args) readMultipart(body []byte, boundary string, latin bool) *fault.Error {
	if boundary == "" {
		return refuse(InvalidFormData, "multipart/form-data needs a boundary")
	}
	code := plain
	if latin {
		code = plainLatin
	}
	parts := multipart.NewReader(bytes.NewReader(body), boundary)
	for n := 0; ; n++ {
		part, err := parts.NextPart()
		if err == io.EOF { // a bare io.EOF comes only after the closing boundary
			return nil
		}
		if err != nil || n >= maxArgs {
			return refuse(InvalidFormData, "the multipart body cannot be read").Because(err)
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return refuse(InvalidFormData, "the multipart body cannot be read").Because(err)
		}
		if part.FileName() != "" {
			continue
		}
		if err := a.add([]byte(part.FormName()), value, code); err != nil {
			return err
		}
	}
}
