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
