package crm

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"understudy/internal/crm/seed"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/seeddoc"
)

// seeding returns the step that creates the records of a type.
func (w *seeder) seeding(t Type, list seeddoc.Named[seed.Record]) func() error {
	return func() error { return w.seedRecords(t, list) }
}

func (w *seeder) seedRecords(t Type, list seeddoc.Named[seed.Record]) error {
	w.records[t] = map[string]int64{}
	for chunk := range slices.Chunk(list, recordsAtOnce) {
		if err := w.seedChunk(t, chunk); err != nil {
			return err
		}
	}
	return nil
}

// recordsAtOnce is the batch size, so that statements stay within the databases'
// limits.
const recordsAtOnce = 500

func (w *seeder) seedChunk(t Type, list seeddoc.Named[seed.Record]) error {
	in := make([]CreateRecord, len(list))
	for i := range list {
		properties, err := w.properties(t, &list[i].Value)
		if err != nil {
			return err
		}
		in[i].Properties = properties
	}
	drafts, err := w.d.drafts(t, in, true)
	if err != nil {
		return err
	}
	for i := range drafts {
		if err := refusal(&list[i].Value, drafts[i].err); err != nil {
			return err
		}
	}
	made, errs, err := w.c.createDrafts(w.tx, w.p, w.d, t, in, drafts, true)
	if err != nil {
		return err
	}
	for i, err := range errs {
		if err != nil {
			return refusal(&list[i].Value, err)
		}
	}
	for i, r := range made {
		w.records[t][list[i].Name] = r.ID
	}
	return nil
}

// properties returns the properties of a record in wire form.
func (w *seeder) properties(t Type, in *seed.Record) (map[string]string, error) {
	set := map[string]string{}
	for _, p := range in.Properties {
		text := string(p.Value)
		if def := w.d.Property(t, p.Name); def != nil && (def.Type == "date" || def.Type == "datetime") {
			text = w.moment(def, text)
		}
		set[p.Name] = text
	}
	owner, err := w.owner(in.Owner)
	if err != nil {
		return nil, err
	}
	if owner != "" {
		set["hubspot_owner_id"] = owner
	}
	if in.Created.Micros != 0 {
		set["createdate"] = FormatTime(in.Created.Micros)
	}
	return set, nil
}

// moment converts a relative time to wire form.
func (w *seeder) moment(p *Property, text string) string {
	if !strings.HasPrefix(text, "-") && !strings.HasPrefix(text, "+") && text != "now" {
		return text
	}
	at, ok := seeddoc.ParseTime(text, w.r.Now)
	switch {
	case !ok:
		return text
	case p.Type == "date":
		return at.UTC().Format(time.DateOnly)
	}
	return FormatTime(at.UnixMicro())
}

// refusal returns the error of a record with its place in the document.
func refusal(in *seed.Record, err error) error {
	if e, ok := fault.As(err); ok {
		if problems, ok := e.Attrs.(ValidationProblems); ok && len(problems) > 0 {
			return in.In("properties").In(problems[0].Property).Refuse("%s", strings.TrimSuffix(problems[0].Message, "."))
		}
	}
	if err == nil {
		return nil
	}
	return in.Blame(err)
}

// seedLinks links records, once all of them exist.
func (w *seeder) seedLinks() error {
	for _, of := range []struct {
		t    Type
		list seeddoc.Named[seed.Record]
	}{{Companies, w.doc.Companies}, {Contacts, w.doc.Contacts}, {Deals, w.doc.Deals}, {Tickets, w.doc.Tickets}} {
		for _, e := range of.list {
			if err := w.linksOf(of.t, w.records[of.t][e.Name], &e.Value); err != nil {
				return err
			}
		}
	}
	for i := range w.doc.Associations {
		in := &w.doc.Associations[i]
		from, err := w.record(in.From)
		if err != nil {
			return err
		}
		to, err := w.record(in.To)
		if err != nil {
			return err
		}
		a := unlabeled(from.t, to.t)
		if in.Type != nil {
			a = associationType(*in.Type)
		}
		if err := w.link(in.In("type"), from, to, a); err != nil {
			return err
		}
	}
	if err := addLinks(w.tx, firstPortal, w.links); err != nil {
		return err
	}
	return w.c.rollUp(w.tx, w.d, touchedBy(w.links))
}

func (w *seeder) linksOf(t Type, id int64, in *seed.Record) error {
	from := target{t, id}
	for _, ref := range in.Associated {
		to, err := w.record(ref)
		if err == nil {
			err = w.link(ref.Pos, from, to, unlabeled(t, to.t))
		}
		if err != nil {
			return err
		}
	}
	if in.PrimaryCompany.Name == "" {
		return nil
	}
	to, err := w.recordOf(in.PrimaryCompany, Companies, in.PrimaryCompany.Name)
	if err != nil {
		return err
	}
	var primary *AssociationType
	for _, a := range AssociationTypes(t, Companies) {
		if a.Primary {
			primary = a
		}
	}
	return w.link(in.PrimaryCompany.Pos, from, to, primary)
}

func (w *seeder) link(at seeddoc.Pos, from, to target, a *AssociationType) error {
	switch {
	case a == nil || a.From != from.t || a.To != to.t:
		return at.Refuse("there is no such association from %s to %s", from.t, to.t)
	case from == to:
		return at.Refuse("a record cannot be associated with itself")
	}
	w.links = append(w.links, link{from.t, from.id, to.t, to.id, a.TypeID})
	return nil
}

// record resolves a reference such as contacts/anna.
func (w *seeder) record(ref seeddoc.Ref) (target, error) {
	kind, name, ok := strings.Cut(ref.Name, "/")
	t, err := ParseType(kind)
	if !ok || err != nil {
		return target{}, ref.Refuse("must name a record such as contacts/anna")
	}
	return w.recordOf(ref, t, name)
}

func (w *seeder) recordOf(ref seeddoc.Ref, t Type, name string) (target, error) {
	if id, ok := w.records[t][name]; ok {
		return target{t, id}, nil
	}
	if id, err := strconv.ParseInt(name, 10, 64); err == nil {
		live, err := liveTargets(w.tx, firstPortal, []target{{t, id}}, true)
		if err != nil {
			return target{}, err
		}
		if survivor := live[target{t, id}]; survivor != 0 {
			return target{t, survivor}, nil
		}
	}
	return target{}, ref.Refuse("there is no %s %q in the document or the portal", t.Singular(), name)
}
