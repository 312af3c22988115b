package tracker

import (
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/opt"
	"understudy/internal/tracker/seed"
)

func (w *seeder) seedWebhooks() error {
	for i := range w.g.doc.Webhooks {
		name, in := w.g.doc.Webhooks[i].Name, &w.g.doc.Webhooks[i].Value
		if in.Label == "" {
			in.Label = name
		}
		write := WriteWebhook{ID: in.ID, URL: opt.Some(in.URL), Label: opt.Some(in.Label), Secret: set(in.Secret), Enabled: opt.Some(!in.Disabled)}
		if in.Team.Name != "" {
			team, err := w.team(in.Team)
			if err != nil {
				return err
			}
			write.Team = opt.Some(team.ID)
		}
		if len(in.ResourceTypes) > 0 {
			write.ResourceTypes = opt.Some(in.ResourceTypes)
		}
		h, err := w.as(w.viewer, w.g.now).createWebhook(write)
		if err != nil {
			return in.Blame(err)
		}
		w.made.Webhooks[name] = SeededHook{h.ID, pick(in.Secret == "", h.Secret, "")}
	}
	return nil
}

func (w *seeder) seedAPIKeys() error {
	for i := range w.g.doc.APIKeys {
		name, in := w.g.doc.APIKeys[i].Name, &w.g.doc.APIKeys[i].Value
		if in.Label == "" {
			in.Label = name
		}
		if err := required("label", in.Label, 255); err != nil {
			return in.In("label").Blame(err)
		}
		user, err := w.user(in.User)
		if err != nil {
			return err
		}
		text, err := w.keyText(in)
		if err != nil {
			return err
		}
		id := w.g.t.IDs.UUID()
		if err := w.g.t.Auth.Issue(w.Tx, text, auth.Token{Service: Service, ID: id, Kind: auth.Key, Tenant: w.Tenant, Subject: user.ID, Label: in.Label}); err != nil {
			return err
		}
		w.made.APIKeys[name] = SeededKey{id, pick(in.Key == "", text, "")}
	}
	return nil
}

// keyText returns the text of a key: the one in the document, which must not be
// in use, or a new one.
func (w *seeder) keyText(in *seed.APIKey) (string, error) {
	if in.Key == "" {
		return keyPrefix + w.g.t.IDs.Secret(40), nil
	}
	secret, ok := strings.CutPrefix(in.Key, keyPrefix)
	if !ok || len(secret) < 20 || len(secret) > 200 || strings.Trim(secret, ids.Alnum) != "" {
		return "", in.In("key").Refuse("must be %s and 20 to 200 letters and digits", keyPrefix)
	}
	used, err := w.g.t.Auth.Known(w.Tx, Service, in.Key)
	if err == nil && used {
		err = in.In("key").Refuse("this key is in use")
	}
	return in.Key, err
}
