package markdown

import (
	"flag"
	"os"
	"strings"
	"testing"

	"understudy/internal/messaging/blockkit"
	"understudy/internal/messaging/mrkdwn"
)

var update = flag.Bool("update", false, "write what the documents of the corpus become")

const corpusFile = "testdata/corpus.txt"

// TestCorpus compares what each document of the corpus becomes, text and
// blocks. Review what -update writes: it is the expectation from then on.
func TestCorpus(t *testing.T) {
	raw, err := os.ReadFile(corpusFile)
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(raw), "\n==== ")
	out := parts[0]
	for _, part := range parts[1:] {
		name, rest, _ := strings.Cut(part, "\n")
		source, rest, _ := strings.Cut(rest, "\n---- text\n")
		text, blocks, _ := strings.Cut(rest, "---- blocks\n")
		got := string(Blocks(source, nil))
		gotText := mrkdwn.PlainText([]byte(got))
		if !*update && (gotText != strings.TrimSuffix(text, "\n") || got != strings.TrimSuffix(blocks, "\n")) {
			t.Errorf("%s:\n got %q %s\nwant %q %s", name, gotText, got, strings.TrimSuffix(text, "\n"), blocks)
		}
		if gotText != "" {
			gotText += "\n"
		}
		out += "\n==== " + name + "\n" + source + "\n---- text\n" + gotText + "---- blocks\n" + got + "\n"
	}
	if len(parts) < 61 {
		t.Errorf("the corpus has %d documents", len(parts)-1)
	}
	if *update {
		if err := os.WriteFile(corpusFile, []byte(out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// FuzzBlocks checks that every text becomes blocks that upstream would accept.
func FuzzBlocks(f *testing.F) {
	f.Add("# a\n- b\n  1. c\n> d\n```x\ne\n```\n| f |\n|--|\n| <@U123ABC> |")
	f.Add("**a *b ~~c~~ [d](e) ![f](g) <h|i> :tada:\x00\xff")
	f.Fuzz(func(t *testing.T, source string) {
		if len(source) > 4000 {
			return
		}
		blocks := Blocks(source, nil)
		reader := blockkit.Reader{NewID: func() string { return "x" + string(rune('a'+len(source)%26)) }}
		if _, err := reader.Blocks(blocks); err != nil && err.Reason == blockkit.InvalidBlocks {
			for _, m := range err.Attrs.([]string) {
				if !strings.HasPrefix(m, "no more than") {
					t.Fatalf("%q becomes %s: %s", source, blocks, m)
				}
			}
		} else if err != nil && err.Reason == blockkit.InvalidBlocksFormat {
			t.Fatalf("%q becomes %s", source, blocks)
		}
	})
}
