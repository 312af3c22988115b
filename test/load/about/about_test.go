package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The pages say what the tables say. `make performance` writes them.
func TestTheFiguresInShortAreThoseOfTheTables(t *testing.T) {
	docs := filepath.Join("..", "..", "..", "docs")
	about, err := compose(filepath.Join(docs, "performance"))
	if err != nil {
		t.Fatal(err)
	}
	all, err := join(filepath.Join(docs, "performance"))
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"performance/about.md": string(about), "performance.md": string(all)} {
		page, err := os.ReadFile(filepath.Join(docs, name))
		if err != nil {
			t.Fatal(err)
		}
		got := strings.Split(string(page), "\n")
		for i, line := range strings.Split(want, "\n") {
			if i >= len(got) || got[i] != line {
				t.Errorf("docs/%s is not what the tables say: run make performance; line %d should be\n%s", name, i+1, line)
				break
			}
		}
	}
}

func TestFiguresAreRead(t *testing.T) {
	for _, tt := range []struct {
		got  func() (string, error)
		want string
	}{
		{func() (string, error) { return number(2, "16019") }, "16,000"},
		{func() (string, error) { return number(3, "141184 events/s") }, "141,000"},
		{func() (string, error) { return number(2, "8676/s, p50 6.65ms") }, "8,700"},
		{func() (string, error) { return number(2, "8,168") }, "8,200"},
		{func() (string, error) { return number(2, "27 %") }, "27"},
		{func() (string, error) { return percent("0.54") }, "54"},
		{func() (string, error) { return ms(1, "3.65 ms") }, "4"},
		{func() (string, error) { return ms(1, "370µs") }, "0.4"},
		{func() (string, error) { return ms(2, "1.3s") }, "1,300"},
		{func() (string, error) { return mib("46 KiB (300 open)") }, "0.04"},
		{func() (string, error) { return mib("7 ms") }, "error"},
		{func() (string, error) { return ms(1, "7 MB") }, "error"},
		{func() (string, error) { return number(1, "none") }, "error"},
		{func() (string, error) { return after("p50", "p99") }, "error"},
	} {
		got, err := tt.got()
		if err != nil {
			got = "error"
		}
		if got != tt.want {
			t.Errorf("%q, want %q", got, tt.want)
		}
	}
}

func TestRowsAreFound(t *testing.T) {
	folder := t.TempDir()
	page := "# A\n\n| what | p50 |\n| --- | --- |\n| one | 1 ms |\n\ntext\n\n| | x |\n| --- | --- |\n| one | 2 |\n| two | 3 |\n"
	if err := os.WriteFile(filepath.Join(folder, "a.md"), []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	if r, err := pages(folder).row("a", "two"); err != nil {
		t.Error(err)
	} else if x, err := r.cell("x"); x != "3" || err != nil {
		t.Errorf("%q, %v", x, err)
	} else if _, err := r.cell("p50"); err == nil {
		t.Error("a column of another table is found")
	}
	if _, err := pages(folder).row("a", "three"); err == nil {
		t.Error("a row that is not there is found")
	}
}

func TestRangesAscend(t *testing.T) {
	for _, row := range [][3]string{{"3.8", "3.4", "3.4 to 3.8"}, {"4,700", "3,700", "3,700 to 4,700"}, {"9.1", "10", "9.1 to 10"}, {"50", "50", "50"}} {
		if got, err := span(row[0], row[1]); err != nil || got != row[2] {
			t.Errorf("span(%q, %q): %q, %v", row[0], row[1], got, err)
		}
	}
}
