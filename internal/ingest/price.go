package ingest

import (
	"context"
	"math"
	"regexp"

	"understudy/internal/platform/store"
)

// Prices are the prices of tokens, by model.
type Prices map[string]Price

// Price is the price of one token of a model.
type Price struct {
	Input, Output float64
	Currency      string
}

// dated matches the version that providers append to a model's name.
var dated = regexp.MustCompile(`-(\d{4}-\d{2}-\d{2}|\d{8}|latest)$`)

// Of returns the price of a model's tokens: that of the model itself or, for a
// version with a date, that of the name before the date.
func (p Prices) Of(model string) (Price, bool) {
	price, ok := p[model]
	if !ok && len(p) > 0 {
		if at := dated.FindStringIndex(model); at != nil {
			price, ok = p[model[:at[0]]]
		}
	}
	return price, ok
}

// Cost returns the cost of tokens of a model.
func (p Prices) Cost(model string, input, output int64) (cost float64, ok bool) {
	price, ok := p.Of(model)
	return float64(input)*price.Input + float64(output)*price.Output, ok
}

// ModelPrice is the price of a million tokens of a model.
type ModelPrice struct {
	Model         string
	Input, Output float64
	Currency      string
}

const maxPrices = 1000

// ListPrices returns a project's prices by model.
func (in *Ingest) ListPrices(ctx context.Context, project string) (out []ModelPrice, err error) {
	err = in.d.Events.Read(ctx, func(tx *store.Tx) error {
		out, err = listPrices(tx, project)
		return err
	})
	return out, err
}

// Prices returns the prices of a project, by model and token.
func (in *Ingest) Prices(ctx context.Context, project string) (Prices, error) {
	list, err := in.ListPrices(ctx, project)
	if err != nil || len(list) == 0 {
		return nil, err
	}
	out := make(Prices, len(list))
	for _, m := range list {
		out[m.Model] = Price{m.Input / 1e6, m.Output / 1e6, m.Currency}
	}
	return out, nil
}

// PutPrices replaces all prices of a project. It returns ValidationFailed.
func (in *Ingest) PutPrices(ctx context.Context, project string, list []ModelPrice) error {
	if len(list) > maxPrices {
		return wrong("prices", "has %d models; limit is %d", len(list), maxPrices)
	}
	seen := map[string]bool{}
	for i := range list {
		m := &list[i]
		if m.Currency == "" {
			m.Currency = "USD"
		}
		switch {
		case m.Model == "":
			return wrong("model", "is required")
		case seen[m.Model]:
			return wrong("model", "%s stands there twice", m.Model)
		case !(m.Input >= 0 && m.Input <= 1e9 && m.Output >= 0 && m.Output <= 1e9):
			return wrong("input_per_million", "and output_per_million must be between 0 and 1000000000")
		case len(m.Currency) != 3:
			return wrong("currency", "must be a code of three letters")
		case m.Currency != list[0].Currency:
			return wrong("currency", "must be the same for all models: costs are added up")
		}
		if err := checkText("model", m.Model); err != nil {
			return err
		}
		if err := checkText("currency", m.Currency); err != nil {
			return err
		}
		seen[m.Model] = true
	}
	return in.d.Events.Write(ctx, func(tx *store.Tx) error { return putPrices(tx, project, list) })
}

// isNumber reports whether a number can be compared and summed.
func isNumber(f float64) bool { return !math.IsNaN(f) && !math.IsInf(f, 0) }
