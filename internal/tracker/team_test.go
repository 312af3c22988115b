package tracker

import (
	"context"
	"strings"
	"testing"

	"understudy/internal/platform/opt"
)

// A team that is created with triage on has the triage state.
func TestTeamMadeWithTriage(t *testing.T) {
	both(t, func(o *office) {
		ctx := context.Background()
		from := o.team("ENG")
		_, err := o.t.UpdateTeam(ctx, o.p, from.ID, CreateTeam{Settings: map[string]any{"triageEnabled": true}})
		o.must(err)
		for key, in := range map[string]CreateTeam{"OWN": {Settings: map[string]any{"triageEnabled": true}}, "CPY": {CopyFrom: from.ID}} {
			in.Name, in.Key = opt.Some(key), opt.Some(key)
			c, err := o.t.CreateTeam(ctx, o.p, in)
			o.must(err)
			triage := o.state(c.Entity, "triage")
			if triage == nil || c.Entity.TriageState != triage.ID || triage.ID == from.TriageState {
				o.Fatalf("%s: %+v has the triage state %+v", key, c.Entity, triage)
			}
			if i := o.issue(c.Entity, "New"); i.State != triage.ID || i.StartedTriage == 0 {
				o.Errorf("%s: the issue is in another state than triage: %+v", key, i)
			}
		}
	})
}

// Ids are stored in lower case, because links by id would not find them otherwise.
func TestTeamLinksInUpperCase(t *testing.T) {
	both(t, func(o *office) {
		above, below := o.team("ENG"), o.team("WEB")
		started := o.state(below, "started")
		c, err := o.t.UpdateTeam(context.Background(), o.p, below.ID, CreateTeam{Parent: opt.Some(strings.ToUpper(above.ID)), State: opt.Some(strings.ToUpper(started.ID))})
		o.must(err)
		if c.Entity.Parent != above.ID || c.Entity.DefaultState != started.ID {
			o.Errorf("%+v", c.Entity)
		}
		_, err = o.t.UpdateTeam(context.Background(), o.p, above.ID, CreateTeam{Parent: opt.Some(strings.ToUpper(below.ID))})
		o.refused(err, BadInput)
	})
}
