// Command gen generates the table of package emoji from the file emoji.json of
// the npm package emoji-datasource:
//
//	go run ./gen path/to/emoji.json > table.txt
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"sort"
	"strings"
)

type record struct {
	Unified    string   `json:"unified"`
	ShortNames []string `json:"short_names"`
	Variations map[string]struct {
		Unified string `json:"unified"`
	} `json:"skin_variations"`
}

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: gen emoji.json")
	}
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	var records []record
	if err := json.Unmarshal(data, &records); err != nil {
		log.Fatal(err)
	}
	lines := make([]string, 0, len(records))
	for _, r := range records {
		lines = append(lines, line(r))
	}
	sort.Strings(lines)
	out := bufio.NewWriter(os.Stdout)
	for _, l := range lines {
		fmt.Fprintln(out, l)
	}
	if err := out.Flush(); err != nil {
		log.Fatal(err)
	}
}

// line returns a line of the table: names, the canonical one first; code points;
// the number of skin tones, if any; the code points for two tones, if different.
func line(r record) string {
	s := strings.Join(r.ShortNames, ",") + " " + strings.ToLower(r.Unified)
	tones, other := 0, ""
	for key, v := range r.Variations {
		tones = max(tones, 1+strings.Count(key, "-"))
		if bare := stripTones(v.Unified); stripVariant(bare) != stripVariant(r.Unified) {
			other = strings.ToLower(bare)
		}
	}
	if tones > 0 {
		s += fmt.Sprintf(" %d", tones)
	}
	if other != "" {
		s += " " + other
	}
	return s
}

func stripTones(unified string) string {
	for _, tone := range []string{"1F3FB", "1F3FC", "1F3FD", "1F3FE", "1F3FF"} {
		unified = strings.ReplaceAll(unified, "-"+tone, "")
	}
	return unified
}

func stripVariant(unified string) string { return strings.ReplaceAll(unified, "-FE0F", "") }
