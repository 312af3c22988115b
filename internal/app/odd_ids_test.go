package app_test

import (
	"encoding/base64"
	"net/url"
	"testing"
)

// Ids and cursors that no database could hold are unknown ones.
func TestOddIDsAreUnknown(t *testing.T) {
	onPlanes(t, func(t *testing.T, p plane) {
		id := p.call("POST", "", nil, 201)["id"].(string)
		snapshot := p.call("POST", "/"+id+"/snapshots", nil, 201)["id"].(string)
		for _, odd := range []string{"%00", "%ff", "default%00", "%F0%9F%98%80", "..%2fdefault"} {
			p.call("GET", "/"+odd, nil, 404)
			p.call("PATCH", "/"+odd, object{"name": "x"}, 404)
			p.call("DELETE", "/"+odd, nil, 404)
			p.call("POST", "/"+odd+"/reset", nil, 404)
			p.call("GET", "/"+odd+"/snapshots", nil, 404)
			p.call("DELETE", "/"+id+"/snapshots/"+odd, nil, 404)
			p.call("GET", "/"+id+"/diff?from="+odd, nil, 404)
			p.call("GET", "/"+id+"/diff?from="+snapshot+"&to="+odd, nil, 404)
			p.call("POST", "/"+id+"/deliveries/"+odd+"/replay", nil, 404)
			if status, _ := p.s.Call("GET", "/e/"+odd+"/crm/api/health", "", nil); status != 404 {
				t.Errorf("the environment %s answers %d", odd, status)
			}
		}
		for _, filter := range []string{"service=%00", "destination=%ff"} {
			p.call("GET", "/"+id+"/deliveries?"+filter, nil, 400)
		}
		for _, kind := range []string{"environment:\x00", "environment:\xff"} {
			p.call("GET", "?cursor="+url.QueryEscape(base64.StdEncoding.EncodeToString([]byte(kind))), nil, 400)
		}
	})
}
