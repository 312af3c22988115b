package messaging

import (
	"context"

	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// NotOwner refuses a member what belongs to somebody else. Admins of the
// workspace manage everything in it.
var NotOwner = NotAuthorized.Detailf("Somebody else created this: only its creator and the admins of the workspace may change it.")

// AdminScope is what a user token needs to call the control plane.
const AdminScope = "admin"

// manages reports whether the caller manages an app: who made it does, and
// every admin of the workspace.
func (c Caller) manages(a *App) bool { return c.IsAdmin || a != nil && a.Creator == c.ID }

// checkOwner returns NotOwner for a caller who manages neither a thing with
// that creator nor its app.
func (s *Service) checkOwner(tx *store.Tx, c Caller, creator, app string) error {
	if c.IsAdmin || creator == c.ID {
		return nil
	}
	a, err := getApp(tx, c.Workspace, app)
	if err == nil && !c.manages(a) {
		err = NotOwner
	}
	return err
}

// owner returns the id by which lists of the caller are narrowed to what the
// caller manages: "" for an admin, who manages everything.
func (c Caller) owner() string {
	if c.IsAdmin {
		return ""
	}
	return c.ID
}

// AppFor returns the app that a caller acts with: by id, or without one the app
// of the caller's token or the first of the workspace. It returns AppNotFound.
func (s *Service) AppFor(ctx context.Context, c Caller, id, ofToken string) (a *App, err error) {
	if id == "" {
		id = ofToken
	}
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		a, err = appOrFirst(tx, c.Workspace, id, "")
		return err
	})
	return a, err
}

// OwnApp returns the app that a caller manages: by id, or without one the app
// of the caller's token or the first that the caller manages. It returns
// AppNotFound and NotOwner.
func (s *Service) OwnApp(ctx context.Context, c Caller, id, ofToken string) (a *App, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		a, err = ownApp(tx, c, id, ofToken)
		return err
	})
	return a, err
}

// HostApp returns the app under which a caller makes a webhook or a command:
// OwnApp, or for a caller who names none and manages none the first of the
// workspace. Of that app's secrets nothing may reach the caller. It returns
// AppNotFound and NotOwner.
func (s *Service) HostApp(ctx context.Context, c Caller, id, ofToken string) (a *App, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		a, err = ownApp(tx, c, id, ofToken)
		if err != nil && id == "" {
			a, err = appOrFirst(tx, c.Workspace, "", "")
		}
		return err
	})
	return a, err
}

func ownApp(tx *store.Tx, c Caller, id, ofToken string) (*App, error) {
	if id == "" && ofToken != "" {
		if a, err := getApp(tx, c.Workspace, ofToken); err != nil || a != nil && c.manages(a) {
			return a, err
		}
	}
	a, err := appOrFirst(tx, c.Workspace, id, c.owner())
	switch {
	case err != nil && id == "" && !c.IsAdmin:
		return nil, NotAuthorized.Detailf("You have not created an app: create one first, or ask an admin of the workspace.")
	case err != nil:
		return nil, err
	case !c.manages(a):
		return nil, NotOwner
	}
	return a, nil
}

// appOrFirst returns the app with an id, or without one the first that creator
// has made, or anybody when creator is "". It returns AppNotFound.
func appOrFirst(tx *store.Tx, workspace, id, creator string) (a *App, err error) {
	if id != "" {
		a, err = getApp(tx, workspace, id)
	} else {
		a, err = firstApp(tx, workspace, creator)
	}
	if err == nil && a == nil {
		err = AppNotFound.At("app_id")
	}
	return a, err
}

// CommandSecrets returns what the requests of a slash command are signed with:
// the secrets of its app, or of its own when its maker does not manage the app
// and must learn nothing of it. They are derived, never stored.
func (s *Service) CommandSecrets(ctx context.Context, cmd *Command, a *App) (out Secrets, own bool, err error) {
	maker, err := s.user(ctx, cmd.Workspace, cmd.Creator)
	if err != nil || maker != nil && (Caller{User: maker}).manages(a) {
		return s.Secrets(a), false, err
	}
	purpose := "messaging/" + cmd.Workspace + "/" + cmd.ID
	return Secrets{VerificationToken: s.Deps.Secrets.Text(purpose+"/token", ids.Alnum, 24),
		SigningSecret: s.Deps.Secrets.Text(purpose+"/signing", ids.Hex, 32)}, true, nil
}
