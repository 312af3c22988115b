package messaging

import (
	"runtime"
	"strings"
	"testing"
)

// Each emoji of a long text costs the same: with words that were copied for each, a post
// of 40,000 emoji took six seconds.
func TestEmojiOfALongTextCostTheSame(t *testing.T) {
	text := strings.Repeat(":grinning:", 10_000)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	words := wordsOf("", text)
	runtime.ReadMemStats(&after)
	if n := len(strings.Fields(words)); n != 10_000 {
		t.Errorf("%d words", n)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > uint64(20*len(words)) {
		t.Errorf("%d words took %d bytes", len(words), took)
	}
}
