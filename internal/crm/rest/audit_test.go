package rest_test

import (
	"strings"
	"testing"
)

// actions returns the actions of an audit, oldest first.
func (w *world) actions(path string) string {
	w.t.Helper()
	var out []string
	for _, a := range w.do(200, "GET", path+"/audit", "")["results"].([]any) {
		out = append([]string{a.(map[string]any)["action"].(string)}, out...)
	}
	return strings.Join(out, " ")
}

// Stages that come and go with their pipeline have the same audit as stages that
// were created and archived alone.
func TestStagesOfAPipelineHaveTheirAudit(t *testing.T) {
	run(t, func(t *testing.T, w *world) {
		const stage = `{"label":"%","displayOrder":0,"metadata":{"probability":"0.5"}}`
		named := func(labels ...string) string {
			var all []string
			for _, l := range labels {
				all = append(all, strings.Replace(stage, "%", l, 1))
			}
			return `{"label":"P","displayOrder":1,"stages":[` + strings.Join(all, ",") + `]}`
		}
		pipeline := w.do(201, "POST", "/crm/v3/pipelines/deals", named("Kept", "Gone"))
		path := "/crm/v3/pipelines/deals/" + pipeline["id"].(string)
		kept := path + "/stages/" + field(t, pipeline, "stages", 0, "id").(string)
		gone := path + "/stages/" + field(t, pipeline, "stages", 1, "id").(string)
		if got := w.actions(kept) + ", " + w.actions(gone); got != "CREATE, CREATE" {
			t.Errorf("after the creation: %s", got)
		}
		replaced := w.do(200, "PUT", path, named("New", "Kept"))
		added := path + "/stages/" + field(t, replaced, "stages", 0, "id").(string)
		if got := w.actions(kept) + ", " + w.actions(gone) + ", " + w.actions(added); got != "CREATE UPDATE, CREATE DELETE, CREATE" {
			t.Errorf("after the replacement: %s", got)
		}
		w.do(204, "DELETE", path, "")
		if got := w.actions(kept) + ", " + w.actions(added); got != "CREATE UPDATE DELETE, CREATE DELETE" {
			t.Errorf("after the end: %s", got)
		}
	})
}
