package console_test

import (
	"strings"
	"testing"

	"understudy/internal/app/apptest"
)

// A clock can be set only to times that all services can show: one beyond the
// year 9999 would make the list of environments fail.
func TestTheClockHasBounds(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		for _, at := range []string{"9999-12-31T23:59:59-12:00", "9999-12-31T23:59:59Z", "1969-12-31T23:59:59Z", "0000-01-01T00:00:00Z", "2200-01-01T00:00:00Z"} {
			p.Call("POST", "", object{"clock": at}, 400)
		}
		w := p.At("2199-12-31T23:00:00Z")
		p.Call("POST", "/"+w.ID+"/clock", object{"freeze": "2200-01-01T00:00:00Z"}, 400)
		p.Call("POST", "/"+w.ID+"/clock", object{"advance": "2h"}, 400)
		w.Advance("30m")
		p.Call("POST", "/"+w.ID+"/clock", object{"run": true}, 200)
		p.Call("POST", "/"+w.ID+"/clock", object{"advance": "876000h"}, 400)
		if found := p.Call("GET", "/"+w.ID, nil, 200)["environment"].(object)["clock"].(object); !strings.HasPrefix(found["now"].(string), "2199-12-31T23:30:") {
			t.Errorf("the clock stands at %v", found["now"])
		}
		p.Call("GET", "", nil, 200)
	})
}

// A clock that is not set says what is wrong with the value that was given.
func TestAClockIsRefusedPlainly(t *testing.T) {
	s := apptest.Start(t)
	p := apptest.PlaneOf(t, s)
	w := p.Create(object{"clock": "2150-01-31T09:00:00Z"})
	for want, bodies := range map[string][]object{
		"freeze: must be a time":           {{"freeze": "2026-01-31"}, {"freeze": ""}},
		"advance: must be a duration":      {{"advance": "2d"}, {"advance": ""}},
		"advance: must not be negative":    {{"advance": "-90s"}},
		"advance: must be at most 876000h": {{"advance": "876001h"}},
		"clock: must be between 1970":      {{"advance": "876000h"}, {"advance": "870000h"}, {"freeze": "1969-01-01T00:00:00Z"}},
		"clock: must be one of {":          {{}, {"run": false}, {"run": true, "advance": "1s"}, {"freeze": "2026-01-31T09:00:00Z", "advance": "1s"}},
	} {
		for _, body := range bodies {
			if e := p.Call("POST", "/"+w.ID+"/clock", body, 400)["error"].(object); !strings.HasPrefix(e["message"].(string), want) {
				t.Errorf("%v: %v", body, e)
			}
		}
	}
	for at, want := range map[string]string{"tomorrow": `clock: must be "run" or a time such as`, "1969-01-01T00:00:00Z": "clock: must be between 1970"} {
		if e := p.Call("POST", "/"+w.ID+"/fork", object{"clock": at}, 400)["error"].(object); !strings.HasPrefix(e["message"].(string), want) {
			t.Errorf("a fork at %s: %v", at, e)
		}
	}
}
