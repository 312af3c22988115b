package crm_test

import (
	"encoding/json"
	"errors"
	"testing"
	"time"

	"understudy/internal/crm"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/opt"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// seen returns all definitions of a portal, as text.
func seen(t *testing.T, d *crm.Definitions) string {
	t.Helper()
	type dated struct {
		Of               any
		Created, Updated int64
	}
	var all []any
	for _, of := range crm.Types {
		for _, p := range d.Properties(of, false) {
			all = append(all, dated{p, p.CreatedAt, p.UpdatedAt})
		}
		for _, p := range d.Pipelines(of) {
			all = append(all, dated{p, p.CreatedAt, p.UpdatedAt})
			for _, s := range p.Stages {
				all = append(all, dated{s.Pipeline, s.CreatedAt, s.UpdatedAt})
			}
		}
		all = append(all, d.Groups(of))
	}
	text, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Portals share the definitions that they did not change; what one changes, or
// tries to, no other sees.
func TestPortalsShareStandardDefinitions(t *testing.T) {
	t.Parallel()
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		service, p, clock := newCRM(t, w)
		definitions := func(p *auth.Principal) *crm.Definitions {
			t.Helper()
			d, err := service.Definitions(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			return d
		}
		clock.Advance(time.Hour)
		if _, _, err := service.CreatePortal(t.Context(), crm.NewPortal{Name: "Q", Email: "q@example.com", Token: "pat-na1-y"}); err != nil {
			t.Fatal(err)
		}
		q := &auth.Principal{Service: crm.Name, Tenant: "2"}
		shared := func(want ...crm.Type) {
			t.Helper()
			if got := crm.SharedTypes(definitions(p), definitions(q)); len(got) != len(want) {
				t.Errorf("the portals share the definitions of %v, not of %v", got, want)
			}
		}
		shared(crm.Types...)
		old := definitions(p)
		before := [2]string{seen(t, old), seen(t, definitions(q))}
		for i, p := range []*auth.Principal{p, q} {
			of, made := definitions(p), start.Add(time.Duration(i)*time.Hour).UnixMicro()
			property, _ := of.FindProperty(crm.Deals, "dealstage", false)
			pipeline, _ := of.FindPipeline(crm.Deals, "default")
			stage, _ := of.FindStage(crm.Tickets, "0", "4")
			for _, at := range []int64{property.CreatedAt, property.UpdatedAt, pipeline.CreatedAt, pipeline.UpdatedAt,
				pipeline.Stages[0].CreatedAt, stage.CreatedAt, stage.UpdatedAt} {
				if at != made {
					t.Errorf("portal %d was made at %d, its definitions at %d", i+1, made, at)
				}
			}
		}

		// A refused change leaves everything as it was, after it changed a part.
		_, err := service.UpdatePipeline(t.Context(), p, crm.Tickets, "0", crm.UpdatePipeline{Label: opt.Some("")})
		if !errors.Is(err, crm.BadDefinition) {
			t.Errorf("a pipeline without a label: %v", err)
		}
		_, err = service.UpdateStage(t.Context(), p, crm.Tickets, "0", "4", crm.UpdateStage{Label: opt.Some("Open"),
			Metadata: map[string]string{"ticketState": "OPEN"}}, false)
		if !errors.Is(err, crm.BadDefinition) {
			t.Errorf("a ticket pipeline that never closes: %v", err)
		}
		if seen(t, definitions(p)) != before[0] || seen(t, definitions(q)) != before[1] {
			t.Error("a refused change is seen")
		}
		shared(crm.Types...)

		// A change is the portal's alone, and leaves its other types shared.
		if _, err := service.CreatePipeline(t.Context(), p, crm.Deals, crm.NewPipeline{Label: "Own", Stages: []crm.NewStage{
			{ID: "own", Label: "Own", Metadata: map[string]string{"probability": "0.5"}}}}); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(func() error {
			_, err := service.UpdateStage(t.Context(), p, crm.Tickets, "0", "1", crm.UpdateStage{Label: opt.Some("Fresh")}, false)
			return err
		}(), func() error {
			_, err := service.CreateGroup(t.Context(), p, crm.Contacts, crm.Group{Name: "own", Label: "Own"})
			return err
		}()); err != nil {
			t.Fatal(err)
		}
		shared(crm.Companies)
		for _, of := range []crm.Type{crm.Deals, crm.Tickets} {
			name := map[crm.Type]string{crm.Deals: "dealstage", crm.Tickets: "hs_pipeline_stage"}[of]
			mine, _ := definitions(p).FindProperty(of, name, false)
			theirs, _ := definitions(q).FindProperty(of, name, false)
			if standard, _ := old.FindProperty(of, name, false); len(theirs.Options) != len(standard.Options) || theirs.Options[0] != standard.Options[0] {
				t.Errorf("%s of the other portal has the options %v", of, theirs.Options)
			}
			if of == crm.Deals && mine.Options[len(mine.Options)-1].Value != "own" || of == crm.Tickets && mine.Options[0].Label != "Fresh (Support Pipeline)" {
				t.Errorf("%s of the changed portal has the options %v", of, mine.Options)
			}
		}
		if seen(t, definitions(q)) != before[1] {
			t.Error("a change of one portal is seen in another")
		}
		if seen(t, old) != before[0] {
			t.Error("definitions that a request holds changed")
		}

		// Properties come, change and go likewise.
		made, _, err := service.CreateProperties(t.Context(), p, crm.Companies, []crm.Property{
			{Name: "own", Label: "Own", Type: "string", FieldType: "text", GroupName: "companyinformation"}})
		if err != nil {
			t.Fatal(err)
		}
		shared()
		if definitions(p).Property(crm.Companies, "own") == nil || definitions(q).Property(crm.Companies, "own") != nil {
			t.Error("a property is not where it was made, or elsewhere")
		}
		if err := service.ArchiveProperties(t.Context(), p, crm.Companies, []string{"own"}, false); err != nil {
			t.Fatal(err)
		}
		archived, err := definitions(p).FindProperty(crm.Companies, "own", true)
		if err != nil || archived.CreatedAt != made[0].CreatedAt || definitions(p).Property(crm.Companies, "own") != nil {
			t.Errorf("the archived property: %+v %v", archived, err)
		}
		if seen(t, definitions(q)) != before[1] {
			t.Error("a change of one portal is seen in another")
		}
	})
}
