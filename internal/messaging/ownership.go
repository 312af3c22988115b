package messaging

import (
	"context"

	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
)

// NotOwner refuses a change of something that another member created. Admins of
// the workspace manage everything in it.
var NotOwner = NotAuthorized.Detailf("Somebody else created this: only its creator and the admins of the workspace may change it.")

// AdminScope is the scope that a user token needs for the control plane.
const AdminScope = "admin"

// manages reports whether the caller manages an app: its creator and every admin
// of the workspace do.
func (c Caller) manages(a *App) bool { return c.IsAdmin || a != nil && a.Creator == c.ID }

// checkOwner returns NotOwner for a caller who is not creator and does not manage
// app.
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

// owner returns the user to whose things the caller's lists are restricted: ""
// for an admin, who manages everything.
func (c Caller) owner() string {
	if c.IsAdmin {
		return ""
	}
	return c.ID
}

// AppFor returns the app that a caller acts with: the app with the id, else the
// app of the caller's token, else the first of the workspace. It returns
// AppNotFound.
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

// OwnApp returns an app that the caller manages: the app with the id, else the
// app of the caller's token, else the first that the caller manages. It returns
// AppNotFound and NotOwner.
func (s *Service) OwnApp(ctx context.Context, c Caller, id, ofToken string) (a *App, err error) {
	err = s.world.Read(ctx, func(tx *store.Tx) error {
		a, err = ownApp(tx, c, id, ofToken)
		return err
	})
	return a, err
}

// HostApp returns the app to which a new webhook or command belongs: OwnApp, or
// for a caller who names none and manages none the first of the workspace, whose
// secrets the caller must not learn. It returns AppNotFound and NotOwner.
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
// created, or with "" the first of all. It returns AppNotFound.
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

// CommandSecrets returns the secrets that sign the requests of a slash command:
// those of its app, or its own if its creator does not manage the app. They are
// derived, never stored.
func (s *Service) CommandSecrets(ctx context.Context, cmd *Command, a *App) (out Secrets, own bool, err error) {
	maker, err := s.user(ctx, cmd.Workspace, cmd.Creator)
	if err != nil || maker != nil && (Caller{User: maker}).manages(a) {
		return s.Secrets(a), false, err
	}
	purpose := "messaging/" + cmd.Workspace + "/" + cmd.ID
	return Secrets{VerificationToken: s.Deps.Secrets.Text(purpose+"/token", ids.Alnum, 24),
		SigningSecret: s.Deps.Secrets.Text(purpose+"/signing", ids.Hex, 32)}, true, nil
}
