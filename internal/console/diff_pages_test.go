package console_test

import (
	"fmt"
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

func TestADiffComesInPages(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		e := p.Create(map[string]any{"rate_limits": "off"})
		for i := range 25 {
			e.Post(fmt.Sprint("message ", i))
		}
		whole := p.Diff(e.ID, "", "inserts")
		var paged []string
		cursor, pages := "", 0
		for {
			reply := p.Call("GET", "/"+e.ID+"/diff?limit=7&cursor="+cursor, nil, 200)
			for _, one := range reply["inserts"].([]any) {
				paged = append(paged, apptest.DiffLine(one))
			}
			pages++
			if cursor = reply["next_cursor"].(string); cursor == "" {
				break
			}
		}
		if pages < 4 || strings.Join(paged, "\n") != strings.Join(whole, "\n") {
			t.Errorf("%d pages hold:\n%s\nnot:\n%s", pages, strings.Join(paged, "\n"), strings.Join(whole, "\n"))
		}
	})
}
