package ingest

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"understudy/internal/platform/auth"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// defaultProject is the purpose from which the id of an environment's first
// project is derived.
const defaultProject = "ingest project"

// keyPrefix begins every ingestion key; keyShown is the length of its part in
// lists.
const (
	keyPrefix = "sk_"
	keyShown  = 8
	keyLength = 43
)

// Key is an ingestion key without its secret.
type Key struct {
	ID      string
	Name    string
	Prefix  string // the first characters of the token
	Project string
	Scope   string // KeyAll, KeyRead or KeyWrite
	Created int64  // microseconds
}

// Project holds the sessions and events that its keys send.
type Project struct {
	ID      string
	Name    string
	Created int64 // microseconds
}

// The scopes of keys.
const (
	KeyAll   = "all"
	KeyRead  = "read"
	KeyWrite = "write"
)

// DefaultProject returns the id of an environment's first project.
func (in *Ingest) DefaultProject() string { return uuidOf(in.d.Secrets.IDBytes(defaultProject)) }

// DefaultKey returns an environment's first key; rotation is "" until the key is
// rotated. The key is derived from the environment's secrets: it is not stored
// and can be shown again.
func (in *Ingest) DefaultKey(rotation string) string {
	return KeyOf(in.d.Secrets, rotation)
}

// KeyOf is DefaultKey of an environment with other secrets.
func KeyOf(secrets *ids.Secrets, rotation string) string {
	return keyPrefix + secrets.Text("ingest api key"+rotation, ids.Alnum, keyLength)
}

// Provision creates an environment's first project and key.
func (in *Ingest) Provision(ctx context.Context) error {
	project, token := in.DefaultProject(), in.DefaultKey("")
	return in.d.State.Write(ctx, func(tx *store.Tx) error {
		if err := insertProject(tx, project, "default", in.d.Clock.Micros()); err != nil {
			return err
		}
		return in.issue(tx, token, Key{ID: in.d.IDs.UUID(), Name: "default", Project: project})
	})
}

// MakeKey creates a key for a project. It finds the project by its id or else by
// its name, and creates it if none has the name; without both it uses the default
// project. The token is returned only here. It returns ProjectNotFound and
// ValidationFailed.
func (in *Ingest) MakeKey(ctx context.Context, name, scope, projectID, projectName string) (Key, string, error) {
	if name = strings.TrimSpace(name); name == "" {
		return Key{}, "", wrong("name", "is required")
	}
	if err := checkText("name", name); err != nil {
		return Key{}, "", err
	}
	if err := checkText("project", projectName); err != nil {
		return Key{}, "", err
	}
	switch scope {
	case "":
		scope = KeyAll
	case KeyAll, KeyRead, KeyWrite:
	default:
		return Key{}, "", wrong("scope", "must be write, read or all")
	}
	if projectID == "" && projectName == "" {
		projectID = in.DefaultProject()
	}
	key := Key{ID: in.d.IDs.UUID(), Name: name, Scope: scope, Created: in.d.Clock.Micros()}
	token := keyPrefix + in.d.IDs.Secret(keyLength)
	fresh := in.d.IDs.UUID()
	err := in.d.State.Write(ctx, func(tx *store.Tx) (err error) {
		if key.Project, err = findProject(tx, projectID, projectName); err != nil {
			return err
		}
		if key.Project == "" {
			if projectID != "" {
				return ProjectNotFound
			}
			key.Project = fresh
			if err := insertProject(tx, fresh, projectName, key.Created); err != nil {
				return err
			}
		}
		return in.issue(tx, token, key)
	})
	key.Prefix = token[:keyShown]
	return key, token, err
}

func (in *Ingest) issue(tx *store.Tx, token string, k Key) error {
	var scopes []string // nil allows all
	if k.Scope != KeyAll && k.Scope != "" {
		scopes = []string{k.Scope}
	}
	return in.d.Auth.Issue(tx, token, auth.Token{Service: Name, ID: k.ID, Kind: auth.Key, Tenant: k.Project,
		App: token[:keyShown], Label: k.Name, Scopes: scopes})
}

// CheckProject returns ProjectNotFound if there is no project with that id.
func (in *Ingest) CheckProject(ctx context.Context, id string) error {
	return in.d.State.Read(ctx, func(tx *store.Tx) error {
		found, err := findProject(tx, id, "")
		if err == nil && found == "" {
			err = ProjectNotFound
		}
		return err
	})
}

// Projects lists the projects of an environment, oldest first.
func (in *Ingest) Projects(ctx context.Context) (out []Project, err error) {
	err = in.d.State.Read(ctx, func(tx *store.Tx) (err error) {
		out, err = allProjects(tx)
		return err
	})
	return out, err
}

// Keys lists the valid keys of all projects, oldest first.
func (in *Ingest) Keys(ctx context.Context) (out []Key, err error) {
	err = in.d.State.Read(ctx, func(tx *store.Tx) error {
		projects, err := listProjects(tx)
		if err != nil {
			return err
		}
		for _, p := range projects {
			tokens, err := in.d.Auth.Tokens(tx, Name, p, auth.Key)
			if err != nil {
				return err
			}
			for _, t := range tokens {
				out = append(out, Key{ID: t.ID, Name: t.Label, Prefix: t.App, Project: p, Scope: cmp.Or(strings.Join(t.Scopes, ","), KeyAll), Created: t.Created})
			}
		}
		return nil
	})
	slices.SortFunc(out, func(a, b Key) int { return cmp.Or(cmp.Compare(a.Created, b.Created), cmp.Compare(a.ID, b.ID)) })
	return out, err
}

// RevokeKey revokes a key; later requests with it fail. It returns KeyNotFound.
func (in *Ingest) RevokeKey(ctx context.Context, id string) error {
	return in.d.State.Write(ctx, func(tx *store.Tx) error {
		projects, err := listProjects(tx)
		if err != nil {
			return err
		}
		for _, p := range projects {
			if was, err := in.d.Auth.Revoke(tx, Name, p, id); err != nil || was {
				return err
			}
		}
		return KeyNotFound
	})
}

// uuidOf returns a UUID of version 8 that contains derived bytes.
func uuidOf(b []byte) string { return ids.FormatUUID(ids.AsVersion8([16]byte(b[:16]))) }
