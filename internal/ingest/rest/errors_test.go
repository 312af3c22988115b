package rest

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"testing"
)

// A client that disconnects before its reply is not logged as a failure.
func TestAClientThatGoesIsNoError(t *testing.T) {
	var log bytes.Buffer
	h := &Handler{d: Deps{Log: slog.New(slog.NewTextHandler(&log, nil))}}
	h.WriteError(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), context.Canceled)
	if log.Len() > 0 {
		t.Errorf("noted: %s", &log)
	}
	h.WriteError(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), errors.New("broken"))
	if log.Len() == 0 {
		t.Error("an error is not noted")
	}
}
