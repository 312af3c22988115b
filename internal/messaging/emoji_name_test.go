package messaging

import (
	"strings"
	"testing"
)

func TestNamesOfCustomEmoji(t *testing.T) {
	for name, want := range map[string]bool{"party-gopher": true, "größe_2": true, strings.Repeat("ä", 100): true,
		strings.Repeat("a", 101): false, "": false, "Upper": false, "two words": false} {
		if isCustomName(name) != want {
			t.Errorf("%.20q: %v", name, !want)
		}
	}
}
