package main

import (
	"fmt"
	"testing"
)

func TestFiguresAreMedians(t *testing.T) {
	rounds := []string{"1,200/s, p50 3.50 ms", "900/s, p50 2.25 ms", "1,000/s, p50 9.00 ms", "failed"}
	if got := median(rounds); got != "1000/s, p50 3.50 ms" {
		t.Errorf("the medians are %q", got)
	}
}

func TestRowsOfAPage(t *testing.T) {
	got := fmt.Sprint(rows("# 1 page\n\n| call | p50 | goal | |\n| --- | ---: | --- | --- |\n| a page | 1,200 ms | under 5 ms | **missed** |\n" +
		"| a page | 7 ms | | |\n| none | | | |\n\n| | |\n| --- | --- |\n| memory | 3 MiB after 4, 5 |\n"))
	if want := "[{a page p50 1,200 ms} {a page (2) p50 7 ms} {memory 3 MiB after 4, 5}]"; got != want {
		t.Errorf("rows are %s, want %s", got, want)
	}
}

func TestTablesReplaceTheLastPart(t *testing.T) {
	page := "# Page\n\n## How to read it\n\nText.\n\n## Side by side\n\nNot measured.\n\n### crm\n"
	want := "# Page\n\n## How to read it\n\nText.\n\n## Side by side\n\nNew.\n"
	if got := replaceLast(page, "New.\n"); got != want || replaceLast(got, "New.\n") != want {
		t.Errorf("the page is %q", got)
	}
}
