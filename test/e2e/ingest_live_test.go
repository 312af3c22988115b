package e2e

import (
	"net/http"
	"testing"
	"time"

	"understudy/test/server"
)

// An open stream of live events does not hold up the end of the program.
func TestALiveStreamEndsWithTheProgram(t *testing.T) {
	t.Parallel()
	s, c := server.New(t)
	r, err := http.NewRequest(http.MethodGet, c.Ingest.BaseURL+"/api/v1/live", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("X-Api-Key", c.Ingest.APIKey)
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	if resp.StatusCode != http.StatusOK {
		t.Fatal(resp.Status)
	}
	began := time.Now()
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > 5*time.Second { // streams that nobody ends are cut off after 10
		t.Errorf("the program ended after %v", took)
	}
}
