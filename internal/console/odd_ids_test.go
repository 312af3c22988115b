package console_test

import (
	"encoding/base64"
	"net/url"
	"testing"

	"understudy/internal/app/apptest"
)

// Ids and cursors that no database can store are refused as unknown.
func TestOddIDsAreUnknown(t *testing.T) {
	apptest.OnPlanes(t, func(t *testing.T, p apptest.Plane) {
		id := p.Call("POST", "", nil, 201)["id"].(string)
		snapshot := p.Call("POST", "/"+id+"/snapshots", nil, 201)["id"].(string)
		for _, odd := range []string{"%00", "%ff", "default%00", "%F0%9F%98%80", "..%2fdefault"} {
			p.Call("GET", "/"+odd, nil, 404)
			p.Call("PATCH", "/"+odd, map[string]any{"name": "x"}, 404)
			p.Call("DELETE", "/"+odd, nil, 404)
			p.Call("POST", "/"+odd+"/reset", nil, 404)
			p.Call("GET", "/"+odd+"/snapshots", nil, 404)
			p.Call("DELETE", "/"+id+"/snapshots/"+odd, nil, 404)
			p.Call("GET", "/"+id+"/diff?from="+odd, nil, 404)
			p.Call("GET", "/"+id+"/diff?from="+snapshot+"&to="+odd, nil, 404)
			p.Call("POST", "/"+id+"/deliveries/"+odd+"/replay", nil, 404)
			if status, _ := p.Server.Call("GET", "/e/"+odd+"/crm/api/health", "", nil); status != 404 {
				t.Errorf("the environment %s answers %d", odd, status)
			}
		}
		for _, filter := range []string{"service=%00", "destination=%ff"} {
			p.Call("GET", "/"+id+"/deliveries?"+filter, nil, 400)
		}
		for _, kind := range []string{"environment:\x00", "environment:\xff"} {
			p.Call("GET", "?cursor="+url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(kind))), nil, 400)
		}
	})
}
