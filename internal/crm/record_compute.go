package crm

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"understudy/internal/crm/schema"
)

// compute sets the properties that the service derives from a record's values.
// old has the values before the write, nil for a new record.
func (d *Definitions) compute(t Type, values, old map[string]string, created, now int64) {
	at := FormatTime(now)
	if owner := values["hubspot_owner_id"]; owner != old["hubspot_owner_id"] {
		if values["hubspot_owner_assigneddate"], values["hs_all_owner_ids"] = at, owner; owner == "" {
			values["hubspot_owner_assigneddate"] = ""
		}
	}
	d.moveStage(t, values, old, now)
	switch t {
	case Contacts:
		if others := schema.Split(values[additionalEmails]); slices.Contains(others, values["email"]) { // it has become the primary one
			values[additionalEmails] = strings.Join(slices.DeleteFunc(others, func(e string) bool { return e == values["email"] }), ";")
		}
	case Deals:
		d.computeDeal(values, old, created, now)
	case Tickets:
		d.computeTicket(values, old, created, now)
	}
}

const stageProbability = "hs_deal_stage_probability"

func (d *Definitions) computeDeal(values, old map[string]string, created, now int64) {
	stage := d.types[Deals].stages[values["dealstage"]]
	moved := values["dealstage"] != old["dealstage"]
	closed, probability := false, 0.0
	if stage != nil {
		closed = stage.Metadata["isClosed"] == "true"
		if moved && (old == nil && values[stageProbability] == "" || old != nil && values[stageProbability] == old[stageProbability]) {
			values[stageProbability] = plain(stage.Metadata["probability"])
		}
		if moved {
			values["hs_v2_date_entered_current_stage"] = FormatTime(now)
		}
		likely, _ := strconv.ParseFloat(stage.Metadata["probability"], 64)
		won := closed && likely == 1
		values["hs_is_closed"] = strconv.FormatBool(closed)
		values["hs_is_closed_won"] = strconv.FormatBool(won)
		values["hs_is_closed_lost"] = strconv.FormatBool(closed && !won)
		values["hs_is_closed_count"], values["hs_is_open_count"] = count(closed), count(!closed)
		values["hs_closed_won_count"] = count(won)
		if moved && closed && values["closedate"] == old["closedate"] && (old == nil && values["closedate"] == "" || old != nil) {
			values["closedate"] = FormatTime(now)
		}
		if moved {
			values["hs_closed_won_date"] = ""
			if won {
				values["hs_closed_won_date"] = FormatTime(now)
			}
		}
	}
	probability, _ = strconv.ParseFloat(values[stageProbability], 64)
	values["amount_in_home_currency"] = values["amount"]
	for _, name := range []string{"hs_projected_amount", "hs_projected_amount_in_home_currency", "hs_closed_amount",
		"hs_closed_amount_in_home_currency", "hs_open_amount_in_home_currency"} {
		values[name] = ""
	}
	if amount, err := strconv.ParseFloat(values["amount"], 64); err == nil && stage != nil {
		if projected := amount * probability; !math.IsInf(projected, 0) {
			values["hs_projected_amount"] = decimal(projected)
		}
		values["hs_projected_amount_in_home_currency"] = values["hs_projected_amount"]
		values["hs_closed_amount"], values["hs_open_amount_in_home_currency"] = "0", "0"
		if values["hs_is_closed_won"] == "true" {
			values["hs_closed_amount"] = values["amount"]
		}
		if !closed {
			values["hs_open_amount_in_home_currency"] = values["amount"]
		}
		values["hs_closed_amount_in_home_currency"] = values["hs_closed_amount"]
	}
	values["days_to_close"] = ""
	if t, ok := schema.ParseTime(values["closedate"]); ok && values["closedate"] != "" {
		days := math.Floor(t.Sub(time.UnixMicro(created)).Hours() / 24)
		values["days_to_close"] = strconv.FormatInt(int64(max(days, 0)), 10)
	}
}

func (d *Definitions) computeTicket(values, old map[string]string, created, now int64) {
	stage := d.types[Tickets].stages[values["hs_pipeline_stage"]]
	if stage == nil || values["hs_pipeline_stage"] == old["hs_pipeline_stage"] {
		return
	}
	before := d.types[Tickets].stages[old["hs_pipeline_stage"]]
	wasClosed := before != nil && before.Metadata["ticketState"] == "CLOSED"
	switch closed := stage.Metadata["ticketState"] == "CLOSED"; {
	case closed && !wasClosed:
		values["closed_date"], values["hs_last_closed_date"] = FormatTime(now), FormatTime(now)
		values["time_to_close"] = strconv.FormatInt(max(now-created, 0)/1000, 10)
	case !closed:
		values["closed_date"], values["time_to_close"] = "", ""
	}
}

func count(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// plain returns "1" for "1.0" and "0.2" unchanged.
func plain(number string) string {
	f, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return number
	}
	return decimal(f)
}

// decimal formats a number without an exponent, rounded to six places unless it is
// 2^53 or more.
func decimal(f float64) string {
	if math.Abs(f) < 1<<53 {
		f = math.Round(f*1e6) / 1e6
	}
	return strconv.FormatFloat(f, 'f', -1, 64)
}
