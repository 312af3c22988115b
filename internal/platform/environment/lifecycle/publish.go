package lifecycle

import (
	"context"
	"errors"
	"slices"
	"strings"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/environment/catalogue"
	"understudy/internal/platform/environment/worlds"
)

// Publish inserts environments into the catalogue, all or none. A caller that
// opens one of them waits until it is open in this process. With replace, it
// removes the environments that have the same ids in the same transaction. When
// it fails, it removes what was prepared. It returns environment.Exists, also for
// an id that occurs twice.
func (e *Environments) Publish(ctx context.Context, replace bool, all ...*Prepared) error {
	return publication{e, replace, all}.publish(ctx)
}

// publication is one call of Publish.
type publication struct {
	e       *Environments
	replace bool
	all     []*Prepared
}

func (p publication) publish(ctx context.Context) error {
	e, all := p.e, p.all
	ctx = context.WithoutCancel(ctx)
	// Claim in the order of ids, so that two callers never wait for each other.
	slices.SortFunc(all, func(a, b *Prepared) int { return strings.Compare(a.Info.ID, b.Info.ID) })
	owned, err := p.claim()
	var removed []catalogue.Removed
	if err == nil {
		removed, err = p.insert(ctx)
	}
	if err != nil {
		for _, own := range owned {
			e.release(ctx, own)
		}
		return errors.Join(err, e.Abandon(ctx, all...))
	}
	var errs []error
	for i, own := range owned {
		if own.session != nil {
			own.session.env.Discard()
			e.table.reopen(own)
		}
		if all[i].Env == nil {
			e.table.closed(own, nil)
		} else {
			e.table.opened(own, all[i].Env)
		}
	}
	for _, r := range removed {
		errs = append(errs, dropRemoved(ctx, e.Worlds, r))
	}
	if err := errors.Join(errs...); err != nil { // the next start removes the rest
		e.Platform.Log.Error("the replaced environment could not be removed", "error", err)
	}
	return nil
}

// claim claims the ids of the environments. The caller must settle the entries,
// also those that come with an error.
func (p publication) claim() (owned []*entry, err error) {
	for i, one := range p.all {
		if i > 0 && p.all[i-1].Info.ID == one.Info.ID {
			return owned, environment.Exists.At("id")
		}
		own, err := p.e.table.claim(one.Info.ID, !p.replace)
		if err != nil {
			return owned, err
		}
		owned = append(owned, own)
		if own.session != nil {
			own.session.drain(p.e.DrainTimeout, p.e.Platform.EndClients)
		}
	}
	return owned, nil
}

func (p publication) insert(ctx context.Context) (removed []catalogue.Removed, err error) {
	entries := make([]catalogue.Entry, len(p.all))
	for i, one := range p.all {
		entries[i] = one.entry
	}
	if slices.ContainsFunc(p.all, func(one *Prepared) bool { return !one.Info.Ephemeral }) {
		if err := p.e.Worlds.Sync(ctx); err != nil { // before the catalogue lists them
			return nil, err
		}
	}
	if p.replace {
		return p.e.Catalogue.Replace(ctx, entries...)
	}
	return nil, p.e.Catalogue.Insert(ctx, entries...)
}

// dropRemoved removes the databases of a deleted environment and of its
// snapshots.
func dropRemoved(ctx context.Context, w *worlds.Set, r catalogue.Removed) error {
	errs := []error{w.Drop(ctx, worlds.Of(r.Storage)), w.Drop(ctx, worlds.Base(r.Storage))}
	for _, s := range r.Snapshots {
		errs = append(errs, w.Drop(ctx, worlds.Snapshot(s)))
	}
	return errors.Join(errs...)
}

// maxNamed is the most ids that Ambiguous lists.
const maxNamed = 100

// Resolve returns the id of an environment by its id, or by a name that only one
// environment has. It returns environment.NotFound and environment.Ambiguous.
func (e *Environments) Resolve(ctx context.Context, text string) (id string, err error) {
	if text == environment.Default || e.table.find(text) != nil {
		return text, nil
	}
	if _, err := e.Catalogue.Get(ctx, text); err == nil || !errors.Is(err, environment.NotFound) {
		return text, err
	}
	named, err := e.Catalogue.Named(ctx, text, maxNamed)
	switch {
	case err != nil:
		return "", err
	case len(named) == 0:
		return "", environment.NotFound
	case len(named) > 1:
		return "", environment.Ambiguous.Detailf("Several environments have this name; give an id: %s.", strings.Join(named, ", ")).With(named)
	}
	return named[0], nil
}
