package console

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"

	"understudy/internal/platform/environment"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/inject"
)

func (c *Console) faultRoutes() {
	c.handle("GET /admin/v1/environments/{env}/faults", c.inside(listFaults), "limit", "cursor")
	c.handle("POST /admin/v1/environments/{env}/faults", c.inside(addFaults))
	c.handle("DELETE /admin/v1/environments/{env}/faults", c.inside(removeFaults))
	c.handle("GET /admin/v1/environments/{env}/faults/{id}", c.inside(showFault))
	c.handle("PATCH /admin/v1/environments/{env}/faults/{id}", c.inside(changeFault))
	c.handle("DELETE /admin/v1/environments/{env}/faults/{id}", c.inside(removeFaults))
}

// addFaultsRequest is one rule, or several in the member faults.
type addFaultsRequest struct {
	inject.Rule
	Faults []inject.Rule `json:"faults,omitempty" description:"Several rules instead of one: all are added or none."`
}

type changeFaultRequest struct {
	Enabled *bool `json:"enabled" required:"true"`
}

type faultList struct {
	Faults     []inject.Shown `json:"faults"`
	NextCursor string         `json:"next_cursor"`
}

func listFaults(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	return serveList(w, r, "fault", "faults", func(after string, limit int) ([]inject.Shown, error) {
		list := env.Faults.List()
		if after != "" {
			for i := range list {
				if list[i].ID == after {
					list = list[i+1:]
					break
				}
			}
		}
		return list[:min(limit, len(list))], nil
	}, func(s *inject.Shown) string { return s.ID }, func(s inject.Shown) inject.Shown { return s })
}

func showFault(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	s, err := env.Faults.Get(r.PathValue("id"))
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, s)
	return nil
}

// addFaults adds one rule or several, and replies with them.
func addFaults(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	var in struct {
		Faults *[]json.RawMessage `json:"faults"`
	}
	body, err := httpkit.ReadBody(r, maxBody)
	if err != nil {
		return err
	}
	if err := httpkit.DecodeJSON(r.Context(), body, &in); err != nil {
		return err
	}
	if in.Faults == nil {
		var one inject.Rule
		if err := decodeBody(r.Context(), body, &one); err != nil {
			return err
		}
		made, err := env.Faults.Add(r.Context(), []inject.Rule{one}, func(int) string { return "" })
		if err != nil {
			return err
		}
		httpkit.WriteJSON(w, http.StatusCreated, made[0])
		return nil
	}
	rules, err := readFaults(r.Context(), body)
	if err != nil {
		return err
	}
	made, err := env.Faults.Add(r.Context(), rules, placeOfFault)
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusCreated, map[string]any{"faults": made})
	return nil
}

// readFaults reads the rules of a JSON object whose only member is faults.
func readFaults(ctx context.Context, body []byte) ([]inject.Rule, error) {
	var in struct {
		Faults []inject.Rule `json:"faults"`
	}
	return in.Faults, decodeBody(ctx, body, &in)
}

// placeOfFault returns the place of the i-th rule in such an object.
func placeOfFault(i int) string { return "faults[" + strconv.Itoa(i) + "]." }

func changeFault(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	var in changeFaultRequest
	if err := readBody(r, maxBody, &in); err != nil {
		return err
	}
	if in.Enabled == nil {
		return environment.BadValue.At("enabled").Detailf("must be true or false")
	}
	s, err := env.Faults.Enable(r.Context(), r.PathValue("id"), *in.Enabled)
	if err != nil {
		return err
	}
	httpkit.WriteJSON(w, http.StatusOK, s)
	return nil
}

func removeFaults(w http.ResponseWriter, r *http.Request, env *environment.Environment) error {
	if err := env.Faults.Remove(r.Context(), r.PathValue("id")); err != nil {
		return err
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}
