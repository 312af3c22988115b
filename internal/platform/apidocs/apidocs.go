// Package apidocs describes a service's HTTP API to people and programs: an
// OpenAPI 3.1 document built from the service's tables, and pages that show it,
// with all assets embedded.
package apidocs

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"io/fs"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"github.com/swaggest/swgui"
	static "github.com/swaggest/swgui/v5/static"
	"github.com/swaggest/swgui/v5emb"

	"understudy/internal/platform/httpkit"
)

// The paths of Docs, relative to the service's base URL.
const (
	PagePath     = "/api/docs"
	DocumentPath = "/api/openapi.json"
)

// Docs serves the description of an API.
type Docs struct {
	doc  func() *document
	page func() http.Handler
}

// New returns the docs of an API, which are built on first use, since every
// environment has them and few are read. Building panics for an inconsistent
// table, such as two operations for one pattern; tests find that.
func New(api API) *Docs {
	return &Docs{doc: sync.OnceValue(func() *document { return newDocument(api) }), page: sync.OnceValue(func() http.Handler { return page(api) })}
}

func page(api API) http.Handler {
	h := v5emb.NewHandlerWithConfig(swgui.Config{
		Title: api.Title,
		// Relative, so that they work below any prefix of the service. The page's
		// script appends a document that begins with a dot to the page's own path and
		// "/".
		BasePath: "docs", InternalBasePath: PagePath, SwaggerJSON: "../openapi.json",
		SettingsUI: map[string]string{"docExpansion": `"list"`, "filter": "true", "tryItOutEnabled": "true"},
	})
	return withPolicy(h)
}

// withPolicy adds security headers to a handler's page: only its own scripts may
// run.
func withPolicy(h http.Handler) http.Handler {
	page := &kept{header: http.Header{}}
	h.ServeHTTP(page, &http.Request{Method: http.MethodGet, URL: &url.URL{Path: PagePath}, Header: http.Header{}})
	policy := "default-src 'none'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; script-src 'self'"
	for _, script := range inlineScript.FindAllSubmatch(page.body.Bytes(), -1) {
		sum := sha256.Sum256(script[1])
		policy += " 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpkit.SetPageHeaders(w, policy)
		h.ServeHTTP(w, r)
	})
}

var inlineScript = regexp.MustCompile(`(?s)<script>(.*?)</script>`)

// kept is a reply in memory.
type kept struct {
	header http.Header
	body   bytes.Buffer
}

func (s *kept) Header() http.Header         { return s.header }
func (s *kept) WriteHeader(int)             {}
func (s *kept) Write(b []byte) (int, error) { return s.body.Write(b) }

// Serve serves the page, its assets and the document. It returns false, and
// writes nothing, for any other path.
func (d *Docs) Serve(w http.ResponseWriter, r *http.Request) bool {
	switch path := r.URL.Path; {
	case path == DocumentPath:
		doc := *d.doc()
		doc.Servers = []server{{URL: base(r)}}
		httpkit.WriteJSON(w, http.StatusOK, doc)
	case path == PagePath:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		d.page().ServeHTTP(contentType{w}, r)
	case path == PagePath+"/":
		w.Header().Set("Location", "../docs") // the page has relative links
		w.WriteHeader(http.StatusPermanentRedirect)
	case isAsset(strings.TrimPrefix(path, PagePath+"/")):
		w.Header().Set("Cache-Control", "public, max-age=3600")
		d.page().ServeHTTP(w, r)
	default:
		return false
	}
	return true
}

// base returns the path of the service's base URL as the client sees it.
func base(r *http.Request) string {
	u, err := url.ParseRequestURI(r.RequestURI)
	if err != nil {
		return "/"
	}
	prefix, ok := strings.CutSuffix(u.Path, DocumentPath)
	if !ok || prefix == "" {
		return "/"
	}
	return prefix
}

func isAsset(name string) bool {
	for _, form := range []string{name, name + ".gz"} {
		if info, err := fs.Stat(static.FS, form); err == nil && info.Mode().IsRegular() {
			return !strings.HasSuffix(name, ".gz")
		}
	}
	return false
}

// contentType adds the missing charset to the type of a page.
type contentType struct{ http.ResponseWriter }

func (c contentType) WriteHeader(status int) {
	c.Header().Set("Content-Type", "text/html; charset=utf-8")
	c.ResponseWriter.WriteHeader(status)
}

func (c contentType) Write(b []byte) (int, error) {
	c.Header().Set("Content-Type", "text/html; charset=utf-8")
	return c.ResponseWriter.Write(b)
}
