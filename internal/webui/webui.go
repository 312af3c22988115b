// Package webui serves the built pages of the web UI below /ui/: files, caching
// and the page's security policy.
package webui

import (
	"bytes"
	"fmt"
	"io/fs"
	"mime"
	"net/http"
	"path"
	"strings"

	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/ids"
)

// noncePlace is replaced by a nonce in each reply with index.html.
const noncePlace = "__NONCE__"

// Config is the configuration for the pages, at /ui/config.json.
type Config struct {
	Version  string            `json:"version"`
	Commit   string            `json:"commit"`
	Mode     string            `json:"mode"`
	Fixtures []string          `json:"fixtures"`
	Services map[string]string `json:"services"` // path of each service of the default environment
}

// Options configure the handler.
type Options struct {
	Files      fs.FS // the built pages; nil in a build without them
	Config     Config
	WriteError func(w http.ResponseWriter, r *http.Request, err error)
}

// Handler serves the pages.
type Handler struct {
	o      Options
	index  []byte
	nonces *ids.Source
}

// New returns the handler of everything below /ui; it receives whole paths.
func New(o Options) (*Handler, error) {
	h := &Handler{o: o, nonces: ids.Random()}
	if o.Files == nil {
		return h, nil
	}
	index, err := fs.ReadFile(o.Files, "index.html")
	if err != nil {
		return nil, fmt.Errorf("the web UI has no index.html: %w", err)
	}
	h.index = bytes.ReplaceAll(index, []byte(assetsPlace), []byte(`"/ui/assets/`))
	return h, nil
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		w.Header().Set("Allow", "GET, HEAD")
		w.WriteHeader(http.StatusMethodNotAllowed)
		return
	}
	rest, below := strings.CutPrefix(r.URL.Path, "/ui/")
	switch {
	case !below:
		http.Redirect(w, r, "/ui/", http.StatusPermanentRedirect)
	case rest == "config.json":
		secure(w)
		w.Header().Set("Cache-Control", "no-store")
		httpkit.WriteJSON(w, http.StatusOK, h.o.Config)
	case h.o.Files == nil:
		h.page(w, http.StatusNotFound, []byte(notBuilt))
	case strings.HasPrefix(rest, "assets/"):
		h.asset(w, r, rest)
	default:
		h.page(w, http.StatusOK, h.index)
	}
}

// permissions disables browser features for the pages, except writing to the
// clipboard, which the copy buttons need.
var permissions = strings.Join([]string{"accelerometer", "autoplay", "camera", "display-capture", "encrypted-media", "fullscreen", "geolocation", "gyroscope",
	"hid", "idle-detection", "local-fonts", "magnetometer", "microphone", "midi", "payment", "picture-in-picture", "publickey-credentials-create",
	"publickey-credentials-get", "screen-wake-lock", "serial", "storage-access", "usb", "window-management", "xr-spatial-tracking"}, "=(), ") + "=()"

// page writes a page with a new nonce.
func (h *Handler) page(w http.ResponseWriter, status int, html []byte) {
	nonce := h.nonces.Hex(32)
	httpkit.SetPageHeaders(w, policy(nonce))
	header := w.Header()
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Permissions-Policy", permissions)
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = w.Write(bytes.ReplaceAll(html, []byte(noncePlace), []byte(nonce)))
}

// policy returns the Content-Security-Policy: it allows only what is served from
// here.
func policy(nonce string) string {
	return "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" + nonce + "'; img-src 'self' data:; font-src 'self'; " +
		"connect-src 'self'; worker-src 'self'; manifest-src 'self'; form-action 'none'"
}

func secure(w http.ResponseWriter) {
	w.Header().Set("X-Content-Type-Options", "nosniff")
	w.Header().Set("Referrer-Policy", "no-referrer")
}

// asset serves a file whose name contains a hash of its content, compressed if
// the build compressed it.
func (h *Handler) asset(w http.ResponseWriter, r *http.Request, name string) {
	if !fs.ValidPath(name) {
		h.o.WriteError(w, r, httpkit.NoRoute)
		return
	}
	header := w.Header()
	data, err := fs.ReadFile(h.o.Files, name+".gz")
	if err == nil && strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		header.Set("Content-Encoding", "gzip")
	} else if data, err = fs.ReadFile(h.o.Files, name); err != nil {
		h.o.WriteError(w, r, httpkit.NoRoute)
		return
	}
	secure(w)
	header.Set("Vary", "Accept-Encoding")
	header.Set("Cache-Control", "public, max-age=31536000, immutable")
	header.Set("Content-Type", contentType(name))
	header.Set("Content-Length", fmt.Sprint(len(data)))
	if r.Method == http.MethodHead {
		return
	}
	_, _ = w.Write(data)
}

// contentType does not use the system's list: on a machine without one, browsers
// would reject scripts.
func contentType(name string) string {
	switch path.Ext(name) {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".json":
		return "application/json; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	case ".woff2":
		return "font/woff2"
	}
	if t := mime.TypeByExtension(path.Ext(name)); t != "" {
		return t
	}
	return "application/octet-stream"
}

// notBuilt is the page of a build without Node.
const notBuilt = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>No web UI in this build – Understudy</title></head>
<body>
<h1>This build has no web UI</h1>
<p>The program was built without Node. With Node 20 on the machine, <code>make build</code> makes the pages and puts them into the binary. The APIs work as they are.</p>
</body>
</html>
`
