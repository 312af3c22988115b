package jsontext
import "testing"
func BenchmarkSmall(b *testing.B) {
	buf := make([]byte, 0, 12000)
	for b.Loop() {
		buf = buf[:0]
		for range 50 { for _, s := range []string{"4bc27792-d688-4bb7-b7cb-2d8faa527c6d","TEA-123", "An issue with a title of ordinary length, which says what is wrong 199", "Backlog", "Ada Lovelace"} {
			buf = Append(buf, s)
		} }
	}
}
