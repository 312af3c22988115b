package mcpkit

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
)

// InProcess returns a client whose requests are served by a handler in this
// process, so that a tool server beside a service calls the same handlers as
// other clients. Only the path of a request's URL matters.
func InProcess(h http.Handler) *http.Client { return &http.Client{Transport: inProcess{h}} }

type inProcess struct{ handler http.Handler }

func (t inProcess) RoundTrip(r *http.Request) (out *http.Response, err error) {
	if r.Body != nil {
		defer func() { _ = r.Body.Close() }()
	}
	defer func() {
		if p := recover(); p == http.ErrAbortHandler {
			err = http.ErrAbortHandler
		} else if p != nil {
			panic(p)
		}
	}()
	in := r.Clone(r.Context()) // handlers may modify the request
	in.RequestURI, in.RemoteAddr, in.Proto, in.ProtoMajor, in.ProtoMinor = r.URL.RequestURI(), "in-process", "HTTP/1.1", 1, 1
	w := &reply{header: http.Header{}}
	t.handler.ServeHTTP(w, in)
	return w.response(r), nil
}

// reply is a ResponseWriter that collects a reply.
type reply struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *reply) Header() http.Header { return w.header }

func (w *reply) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *reply) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}

// response returns the reply to a request.
func (w *reply) response(r *http.Request) *http.Response {
	w.WriteHeader(http.StatusOK)
	return &http.Response{StatusCode: w.status, Status: fmt.Sprintf("%d %s", w.status, http.StatusText(w.status)),
		Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Header: w.header, Request: r,
		Body: io.NopCloser(&w.body), ContentLength: int64(w.body.Len())}
}
