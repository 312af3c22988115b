package webui

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"strings"

	"understudy/internal/platform/ids"
)

// assetsPlace is how index.html refers to its assets: relative to itself.
const assetsPlace = `"./assets/`

// NewConsole returns the handler of a GraphQL endpoint's page, at the endpoint's
// path and below: the pages of the web UI, which show only the console outside of
// /ui/. They are served in every mode, so their files are too. It receives paths
// that begin with endpoint, such as "/graphql".
func NewConsole(o Options, endpoint string) (*Console, error) {
	index, err := fs.ReadFile(o.Files, "index.html")
	if err != nil {
		return nil, fmt.Errorf("the web UI has no index.html: %w", err)
	}
	// The browser resolves the names relative to the endpoint's address, whose last
	// part is the endpoint's name.
	beside := `"./` + strings.TrimPrefix(endpoint, "/") + `/assets/`
	return &Console{h: &Handler{o: o, nonces: ids.Random()}, endpoint: endpoint,
		index: bytes.ReplaceAll(index, []byte(assetsPlace), []byte(beside))}, nil
}

// Console serves the page of a GraphQL endpoint.
type Console struct {
	h        *Handler
	endpoint string
	index    []byte
}

// Wants reports whether a request is a browser's request for the page or one of
// its files; all others are for the endpoint.
func (c *Console) Wants(r *http.Request) bool {
	if c == nil || r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	if r.URL.Path == c.endpoint {
		return strings.Contains(r.Header.Get("Accept"), "text/html")
	}
	return strings.HasPrefix(r.URL.Path, c.endpoint+"/assets/")
}

func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if name, below := strings.CutPrefix(r.URL.Path, c.endpoint+"/"); below {
		c.h.asset(w, r, name)
		return
	}
	w.Header().Set("Vary", "Accept")
	c.h.page(w, http.StatusOK, c.index)
}
