package obs

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// A thousand refusals are a few lines and a number, beside which others are seen.
func TestTheLogStaysReadable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var out bytes.Buffer
		h := newCalm(slog.NewTextHandler(&out, nil))
		log := slog.New(h).With("environment", "default")
		for i := range 1000 {
			log.Warn("refused", "n", i)
			if i%100 == 0 {
				log.Info("a line of its own", "n", i)
			}
		}
		log.WithGroup("g").Error("another")
		count := func(s string) int { return strings.Count(out.String(), s) }
		if count("msg=refused") != calmLines || count("a line of its own") != 10 || count("another") != 1 {
			t.Fatal(out.String())
		}
		time.Sleep(calmTime)
		synctest.Wait()
		log.Error("another")
		if want := fmt.Sprintf("message=refused lines=%d", 1000-calmLines); count(want) != 1 || count("another") != 2 {
			t.Errorf("%q is missing in:\n%s", want, out.String())
		}
		for i := range 3 * calmMessages {
			log.Warn(fmt.Sprint("message ", i))
		}
		if n := len(h.seen.counts); n > calmMessages {
			t.Errorf("%d messages are counted", n)
		}
	})
}
