package ids

import (
	"regexp"
	"strings"
	"testing"
)

var uuidForm = regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)

// What is parsed is formatted as it was, and a text is a UUID exactly when it has the form.
func FuzzUUID(f *testing.F) {
	for _, text := range []string{"", Random().UUID(), strings.ToUpper(Random().UUID()), "0123456789abcdef-123-4567-89ab-cdef0123",
		"00000000-0000-0000-0000-0000-0000000", // a dash where a digit belongs
		"00000000-0000-0000-0000-00000000000g", "00000000-0000-0000-0000-00000000000\x10", "00000000-0000-0000-0000-00000000000-"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		is := uuidForm.MatchString(text) && len(text) == 36
		if IsUUID(text) != is {
			t.Errorf("%q is a UUID: %v", text, !is)
		}
		raw, ok := ParseUUID(text)
		if ok != (is && strings.ToLower(text) == text) {
			t.Errorf("%q parses: %v", text, ok)
		}
		if ok && FormatUUID(raw) != text {
			t.Errorf("%q becomes %q", text, FormatUUID(raw))
		}
	})
}
