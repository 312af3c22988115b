package rest

import (
	"net/http"
	"strings"

	"understudy/internal/ingest"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/fault"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/record"
	strictjson "understudy/internal/platform/strict"
)

type shownPrice struct {
	Model    string  `json:"model" required:"true"`
	Input    float64 `json:"input_per_million" required:"true"`
	Output   float64 `json:"output_per_million" required:"true"`
	Currency string  `json:"currency" description:"three letters, USD when left out; the same for all models"`
}

type priceList struct {
	Prices []shownPrice `json:"prices" required:"true"`
}

const maxPriceBody = 1 << 20

// listPrices serves GET /api/v1/prices.
func listPrices(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.reader(w, r)
	if err != nil {
		return err
	}
	return showPrices(h, w, r, c)
}

// putPrices serves PUT /api/v1/prices.
func putPrices(h *Handler, w http.ResponseWriter, r *http.Request) error {
	c, err := h.writerOrAdmin(w, r, ingest.KeyAll)
	if err != nil {
		return err
	}
	var in priceList
	b, err := h.read(w, r, &in)
	if err == nil {
		err = known(b, &in)
	}
	if err != nil {
		return err
	}
	if in.Prices == nil {
		return ingest.ValidationFailed.At("prices").Detailf("prices is required: a list, which may be empty")
	}
	list := make([]ingest.ModelPrice, len(in.Prices))
	for i, p := range in.Prices {
		list[i] = ingest.ModelPrice(p)
	}
	if err := h.d.Ingest.PutPrices(r.Context(), c.project, list); err != nil {
		return err
	}
	record.Audit(w, "prices.put", c.project)
	return showPrices(h, w, r, c)
}

func showPrices(h *Handler, w http.ResponseWriter, r *http.Request, c caller) error {
	list, err := h.d.Ingest.ListPrices(r.Context(), c.project)
	out := priceList{Prices: make([]shownPrice, len(list))}
	for i, p := range list {
		out.Prices[i] = shownPrice(p)
	}
	return answer(w, out, err)
}

// writerOrAdmin returns the caller: the holder of a project's key with a scope, or
// the holder of the admin key.
func (h *Handler) writerOrAdmin(w http.ResponseWriter, r *http.Request, scope string) (caller, error) {
	if text, _ := credential(r); strings.HasPrefix(text, auth.AdminKeyPrefix) {
		return h.reader(w, r)
	}
	return h.holder(w, r, scope)
}

// known returns ValidationFailed if a body has a member that v does not have, such
// as a misspelt one.
func known(body []byte, v any) error {
	if f, ok := fault.As(strictjson.Members(body, v)); ok {
		return ingest.ValidationFailed.At(f.Field).Detailf("%s is not a member of this request", f.Field)
	}
	return nil
}

// read decodes a JSON body of at most maxPriceBody bytes into the value that v points
// to, and returns the body. It returns the errors of undecoded and Handler.body.
func (h *Handler) read(w http.ResponseWriter, r *http.Request, v any) ([]byte, error) {
	b, err := h.body(w, r, maxPriceBody)
	if err != nil {
		return nil, err
	}
	if err := httpkit.DecodeJSON(r.Context(), b, v); err != nil {
		return nil, undecoded(err)
	}
	return b, nil
}

// undecoded returns the error for a body that httpkit.DecodeJSON has rejected:
// ValidationFailed for a member of the wrong type, badJSON for other bodies.
func undecoded(err error) error {
	f, ok := fault.As(err)
	switch {
	case !ok || f.Kind != fault.Invalid:
		return err
	case f.Field != "":
		return ingest.ValidationFailed.At(f.Field).Detailf("%s", f.Detail)
	}
	return badJSON.Detailf("%s", f.Detail)
}
