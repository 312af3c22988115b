package control

import (
	"net/http"
	"strings"

	"understudy/internal/messaging"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/record"
	"understudy/internal/platform/strict"
)

var provisionRoutes = []route{
	{"POST /api/admin/provision", "Make the tokens of a provisioned workspace anew, or a new workspace with everything in it.", provision},
}

type provisionRequest struct {
	WorkspaceName string `json:"workspace_name,omitempty" description:"Makes a new workspace of this name with an admin, an app and tokens."`
	Rotate        *bool  `json:"rotate,omitempty" description:"Without workspace_name: true, as when left out, makes new tokens; false shows those in force."`
}

// provision rotates the default workspace for the admin key. An admin of a
// workspace can only rotate their own, since the reply contains secrets.
func provision(h *Handler, w http.ResponseWriter, r *http.Request) error {
	workspace, err := h.provisioner(w, r)
	if err != nil {
		return err
	}
	var in provisionRequest
	body, err := httpkit.ReadBody(r, maxBody)
	if err == nil {
		err = httpkit.DecodeJSON(r.Context(), body, &in)
	}
	if err == nil { // a misspelt member would rotate the default workspace
		err = strict.Members(body, &in)
	}
	if err != nil {
		return err
	}
	var out messaging.Provisioned
	rotated := false
	switch {
	case in.WorkspaceName != "":
		out, err = h.Service.ProvisionWorkspace(r.Context(), in.WorkspaceName, h.BotScopes, h.UserScopes)
	case in.Rotate != nil && !*in.Rotate:
		out, err = h.Service.Provisioned(r.Context(), workspace)
	default:
		out, err = h.Service.Rotate(r.Context(), workspace)
		rotated = err == nil
	}
	if err != nil {
		return err
	}
	action := "credentials.show"
	switch {
	case rotated:
		action = "credentials.rotate"
	case in.WorkspaceName != "":
		action = "workspace.provision"
	}
	record.Audit(w, action, out.Workspace.ID)
	if rotated && h.Service.IsDefault(workspace) {
		h.CredentialsChanged()
	}
	httpkit.WriteJSON(w, http.StatusOK, Credentials(h.BaseURL(), out, h.Service.SeededApp))
	return nil
}

// provisioner returns the workspace whose tokens the caller may see.
func (h *Handler) provisioner(w http.ResponseWriter, r *http.Request) (string, error) {
	if text := httpkit.Bearer(r); strings.HasPrefix(text, auth.AdminKeyPrefix) {
		ok, err := h.CheckAdminKey(httpkit.ClientAddress(r), text)
		if err == nil && !ok {
			err = auth.Invalid
		}
		if err == nil {
			err = httpkit.BeginAdmin(w, r)
		}
		return h.Service.DefaultWorkspace(), err
	}
	c, err := h.caller(w, r)
	if err != nil {
		return "", err
	}
	if !c.IsAdmin {
		return "", messaging.NotAdmin
	}
	return c.Workspace, nil
}
