package graph

import (
	"bytes"
	"context"

	"understudy/internal/platform/cache"
	"understudy/internal/platform/httpkit"
	"understudy/internal/tracker/graph/engine"
)

// bodyCache caches decoded bodies of queries. Clients that poll send identical
// bodies, and the official client's documents are kilobytes long.
//
// A body or document is cached on its second request: a client that reads all
// pages of a list sends no body twice.
type bodyCache struct {
	seen      *cache.Bounded[string, engine.Request]
	documents *cache.Bounded[string, string] // decoded documents, by their JSON
	marks     *cache.Marks
}

const (
	maxCachedBody      = 16 << 10 // of one body
	maxCachedBodies    = 2 << 20  // of all, with their decoded forms
	maxCachedDocuments = 512 << 10
)

func newBodyCache() bodyCache {
	return bodyCache{marks: cache.NewMarks(), seen: cache.NewBounded(maxCachedBodies, func(body string, q engine.Request) int {
		return 200 + len(body) + len(q.Query) + len(q.Variables)
	}), documents: cache.NewBounded(maxCachedDocuments, func(quoted, document string) int { return 200 + len(quoted) + len(document) })}
}

func (c bodyCache) get(body []byte) (engine.Request, bool) { return cache.GetBytes(c.seen, body) }

func (c bodyCache) put(body []byte, q engine.Request) {
	if len(body) <= maxCachedBody && cache.AskedBytes(c.marks, body) {
		c.seen.Put(string(body), q)
	}
}

// read decodes a body. The document is decoded once for many bodies that differ in
// their variables.
func (c bodyCache) read(ctx context.Context, body []byte) (engine.Request, error) {
	quoted, rest := split(body)
	if quoted == nil {
		return readRequest(ctx, body)
	}
	if document, known := cache.GetBytes(c.documents, quoted); known {
		q := engine.Request{Query: document}
		if httpkit.DecodeJSON(ctx, append([]byte{'{'}, rest...), &q) == nil && q.Query == document {
			return q, nil
		}
	}
	q, err := readRequest(ctx, body)
	if err != nil || !cache.AskedBytes(c.marks, quoted) {
		return q, err
	}
	var own string
	if httpkit.DecodeJSON(ctx, quoted, &own) == nil && own == q.Query { // the body may have another one
		c.documents.Put(string(quoted), own)
	}
	return q, nil
}

// split splits a body that begins with its document, as clients send it: into the
// JSON of the document, and the members after it without the first bracket. It returns
// nil for any other body.
func split(body []byte) (quoted, rest []byte) {
	const start = `{"query":`
	if len(body) > maxCachedBody || !bytes.HasPrefix(body, []byte(start+`"`)) {
		return nil, nil
	}
	text := body[len(start):]
	for end := 1; ; end++ {
		n := bytes.IndexByte(text[end:], '"')
		if n < 0 {
			return nil, nil
		}
		end += n
		escapes := 0
		for text[end-1-escapes] == '\\' { // the first quotation mark ends this
			escapes++
		}
		if escapes%2 != 0 {
			continue
		}
		if rest = text[end+1:]; !bytes.HasPrefix(rest, []byte(`,"`)) {
			return nil, nil
		}
		return text[:end+1], rest[1:]
	}
}
