package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"understudy/internal/platform/diff"
	"understudy/internal/platform/seeddoc"
	"understudy/internal/platform/strict"
	"understudy/internal/platform/verdict/match"
)

func (v *Vocabulary) names() (out []string) {
	for _, k := range v.kinds {
		out = append(out, k.name())
	}
	return out
}

func (v *Vocabulary) services() (out []string) {
	for _, k := range v.kinds {
		out = append(out, k.service)
	}
	return slices.Compact(out)
}

// referred returns the entity of a reference, by the name of a sort or, if a
// field may refer to several sorts, of the entity.
func (v *Vocabulary) referred(name string) (e *diff.Entity, sort string) {
	if k := v.byName[name]; k != nil {
		return k.entity, k.sort
	}
	service, sort, _ := strings.Cut(name, ".")
	for i := range v.entities {
		if v.entities[i].Service == service && v.entities[i].Name == sort {
			return &v.entities[i], sort
		}
	}
	return nil, ""
}

// meant returns a suggestion for an unknown name, as a part of a sentence.
func meant(name string, known []string) string {
	if near := strict.Nearest(name, known); near != "" {
		return fmt.Sprintf("; perhaps %q is meant", near)
	}
	return ""
}

// lookup resolves names. Names are those of the earlier state: a renamed channel
// is still found by the name in the task. Things that were created later are
// found by the names of the later state.
type lookup struct {
	vocabulary *Vocabulary
	reading    *diff.Reading
	found      map[[2]string]named
}

// named is what a name resolves to.
type named struct {
	values  []any
	several bool // an error if the entity's names should be unique
}

func (l *lookup) find(entity, text string) (named, error) {
	at := [2]string{entity, text}
	if got, ok := l.found[at]; ok {
		return got, nil
	}
	var got named
	if e, sort := l.vocabulary.referred(entity); e != nil && e.Lookup != nil {
		if e.Lookup.Mark != "" {
			text = strings.TrimPrefix(text, e.Lookup.Mark)
		}
		values, err := e.Find(l.reading.Before(e.World), sort, text)
		if err == nil && len(values) == 0 {
			values, err = e.Find(l.reading.After(e.World), sort, text)
		}
		if err != nil {
			return got, err
		}
		got = named{values, len(values) > 1 && !e.Lookup.Several}
	}
	l.found[at] = got
	return got, nil
}

// check reports the unknown fields and names in matchers. It returns the error of
// a read.
func (l *lookup) check(r *form, k *kind, field string, m *match.Matcher, at seeddoc.Pos) error {
	f, _, ok := k.field(field)
	if !ok {
		has, err := k.entity.HasField(l.reading.After(k.entity.World), k.sort, field)
		if err == nil && !has {
			has, err = k.entity.HasField(l.reading.Before(k.entity.World), k.sort, field)
		}
		if err != nil {
			return err
		}
		if !has {
			r.Problem(at, "%s has no field %q", k.name(), field)
		}
		return nil
	}
	if f.Refers == "" || m == nil {
		return nil
	}
	var failed error
	m.Names(func(op, text string) {
		if !match.Whole(op) || text == "" || strings.HasPrefix(text, "$") || failed != nil {
			return
		}
		got, err := l.find(f.Refers, text)
		_, sort, _ := strings.Cut(f.Refers, ".")
		switch {
		case err != nil:
			failed = err
		case len(got.values) == 0:
			r.Problem(m.At, "there is no %s %q", sort, text)
		case got.several:
			r.Problem(m.At, "%q is the name of several: give an id, one of %s", text, listed(got.values))
		}
	})
	return failed
}

func listed(values []any) string {
	texts := make([]string, 0, 10)
	for _, v := range values[:min(len(values), 10)] {
		texts = append(texts, match.Text(v))
	}
	slices.SortFunc(texts, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
	return strings.Join(texts, ", ")
}

// sorts returns the kinds of a declared name: one, or all of an entity.
func (v *Vocabulary) sorts(name string) (out []*kind) {
	if k := v.byName[name]; k != nil {
		return []*kind{k}
	}
	e, _ := v.referred(name)
	for _, k := range v.kinds {
		if e != nil && k.entity == e {
			out = append(out, k)
		}
	}
	return out
}

// people resolves the people in a by, and reports unknown names.
func (l *lookup) people(r *form, b *by) error {
	if b.handle == "" && b.app == "" || b.ids != nil {
		return nil
	}
	name, sorts := b.handle, userSorts
	if b.app != "" {
		name, sorts = b.app, []string{"app"}
	}
	for _, k := range l.vocabulary.kinds {
		if !slices.Contains(sorts, k.sort) {
			continue
		}
		got, err := l.find(k.name(), name)
		if err != nil {
			return err
		}
		for _, v := range got.values {
			who, err := l.userOf(k, match.Text(v))
			if err != nil {
				return err
			}
			b.ids = append(b.ids, id{k.service, who})
			if b.handle != "" && !b.isBot {
				if b.isBot, err = l.isBot(k.service, who); err != nil {
					return err
				}
			}
		}
	}
	if b.ids == nil {
		r.Problem(b.at, "there is nobody called %q", name)
	}
	return nil
}

// userSorts are the sorts of people.
var userSorts = []string{"user", "owner"}

// isBot reports whether a user is the bot of an app.
func (l *lookup) isBot(service, user string) (found bool, err error) {
	app := l.vocabulary.byName[service+".app"]
	if app == nil {
		return false, nil
	}
	err = l.reading.Each(app.entity, func(r diff.Record) error {
		found = found || r.Fields["bot_user_id"] == user
		return nil
	})
	return found, err
}

// userOf returns the id with which a thing makes requests: for an app that of its
// bot.
func (l *lookup) userOf(k *kind, thing string) (string, error) {
	if k.sort != "app" {
		return thing, nil
	}
	who := thing
	err := l.reading.Each(k.entity, func(r diff.Record) error {
		if bot, ok := r.Fields["bot_user_id"].(string); ok && r.Key == thing && bot != "" {
			who = bot
		}
		return nil
	})
	return who, err
}
