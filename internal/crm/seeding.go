package crm

import (
	"context"
	"strconv"
	"strings"

	"understudy/internal/crm/seed"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/store"
)

// Seeding applies a seed document to the first portal.
type Seeding struct {
	c   *CRM
	doc seed.Document
	r   *seeddoc.Reader
}

// ReadSeed reads the CRM's part of a seed document and reports errors to r.
func (c *CRM) ReadSeed(r *seeddoc.Reader, part *seeddoc.Node, at seeddoc.Pos) *Seeding {
	g := &Seeding{c: c, r: r}
	r.Read(part, at, &g.doc)
	return g
}

// Seeded is what a seed document created in the CRM, by the document's own names.
type Seeded struct {
	Owners    map[string]SeededOwner  `json:"owners"`
	Companies map[string]SeededRecord `json:"companies"`
	Contacts  map[string]SeededRecord `json:"contacts"`
	Deals     map[string]SeededRecord `json:"deals"`
	Tickets   map[string]SeededRecord `json:"tickets"`
}

// SeededOwner is an owner that a document names; ids are strings, as on the wire.
type SeededOwner struct {
	ID     string `json:"id"`
	UserID string `json:"user_id"`
	Email  string `json:"email"`
}

// SeededRecord is a record that a document names.
type SeededRecord struct {
	ID string `json:"id"`
}

// firstPortal is the portal of a new environment.
const firstPortal = 1

// seeder applies a document in one attempt of a transaction.
type seeder struct {
	*Seeding
	ctx     context.Context
	tx      *store.Tx
	p       *auth.Principal
	d       *Definitions
	owners  map[string]Owner
	records map[Type]map[string]int64 // ids by the document's names
	links   []link
}

// Apply creates the content of the document. It returns seeddoc.Invalid with the
// invalid place.
func (g *Seeding) Apply(ctx context.Context, tx *store.Tx) (any, error) {
	w := &seeder{Seeding: g, ctx: ctx, tx: tx, owners: map[string]Owner{}, records: map[Type]map[string]int64{}}
	// This locks the definitions until the commit.
	if err := raiseVersion(tx, firstPortal); err != nil {
		return nil, err
	}
	tx.AfterCommit(func() {
		g.c.definitions.Drop(firstPortal)
		g.c.index.Changed()
	})
	steps := []func() error{w.reload, w.seedOwners, w.seedProperties, w.seedPipelines, w.reload,
		w.seeding(Companies, g.doc.Companies), w.seeding(Contacts, g.doc.Contacts),
		w.seeding(Deals, g.doc.Deals), w.seeding(Tickets, g.doc.Tickets), w.seedLinks}
	for _, step := range steps {
		if err := step(); err != nil {
			return nil, err
		}
	}
	return w.made(), nil
}

// reload reads the definitions of the transaction.
func (w *seeder) reload() (err error) {
	if w.d, err = loadToChange(w.tx, firstPortal); err == nil && w.p == nil {
		user := strconv.FormatInt(w.d.owners[0].UserID, 10)
		w.p = &auth.Principal{Service: Name, Kind: auth.Key, Tenant: strconv.Itoa(firstPortal), Subject: user, App: "1"}
	}
	return err
}

func (w *seeder) made() Seeded {
	out := Seeded{Owners: map[string]SeededOwner{}}
	for name, o := range w.owners {
		out.Owners[name] = SeededOwner{strconv.FormatInt(o.ID, 10), strconv.FormatInt(o.UserID, 10), o.Email}
	}
	for t, to := range map[Type]*map[string]SeededRecord{Companies: &out.Companies, Contacts: &out.Contacts,
		Deals: &out.Deals, Tickets: &out.Tickets} {
		*to = map[string]SeededRecord{}
		for name, id := range w.records[t] {
			(*to)[name] = SeededRecord{strconv.FormatInt(id, 10)}
		}
	}
	return out
}

func (w *seeder) seedOwners() error {
	for i := range w.doc.Owners {
		name, in := w.doc.Owners[i].Name, &w.doc.Owners[i].Value
		email, err := auth.NormalEmail(in.Email)
		if err != nil {
			return in.In("email").Blame(err)
		}
		for _, o := range w.owners {
			if o.Email == email {
				return in.In("email").Refuse("another owner of the document has this address")
			}
		}
		if o, ok := w.ownerByEmail(email); ok {
			w.owners[name] = o
			continue
		}
		u, err := w.c.addUserAt(w.tx, firstPortal, NewPortal{Email: email, FirstName: in.FirstName, LastName: in.LastName}, in.Created.Or(w.c.now()))
		if err != nil {
			return in.Blame(err)
		}
		w.owners[name] = Owner{ID: u.Owner, UserID: u.ID, Email: u.Email}
	}
	return nil
}

func (w *seeder) ownerByEmail(email string) (Owner, bool) {
	for _, o := range w.d.owners {
		if o.Archived == 0 && strings.EqualFold(o.Email, email) {
			return o, true
		}
	}
	return Owner{}, false
}

// owner returns the id of the owner that a reference names; "" for none.
func (w *seeder) owner(ref seeddoc.Ref) (string, error) {
	if ref.Name == "" {
		return "", nil
	}
	o, ok := w.owners[ref.Name]
	if !ok {
		o, ok = w.ownerByEmail(ref.Name)
	}
	switch {
	case ok:
		return strconv.FormatInt(o.ID, 10), nil
	case w.d.isOwner(ref.Name):
		return ref.Name, nil
	}
	return "", ref.Refuse("there is no owner %q in the document or the portal", ref.Name)
}
