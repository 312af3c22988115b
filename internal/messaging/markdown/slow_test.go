package markdown

import (
	"strings"
	"testing"
	"time"
)

// Texts that make parsers of Markdown slow stay quick at the longest that is accepted.
func TestHardTextsAreQuick(t *testing.T) {
	for _, unit := range []string{"[", "![", "*a ", "**a*", "`", "> ", "- ", "<", "<http://", "a_b*", "~~", "[a](", "| a ", "&#35;", "\\", "1. ", "    - a\n", ":a:", "www."} {
		source := strings.Repeat(unit, 12_000/len(unit))
		began := time.Now()
		Blocks(source, nil)
		if took := time.Since(began); took > 2*time.Second {
			t.Errorf("%q took %s", unit, took)
		}
	}
}
