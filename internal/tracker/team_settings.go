package tracker

import (
	"math"
	"slices"
	"strings"
	"time"
)

// settingRange is the allowed range of a numeric setting of a team.
type settingRange struct {
	least, most float64
	whole       bool
	get         func(*TeamSettings) float64
}

var settingRanges = map[string]settingRange{
	"cycleDuration":      {1, 8, true, func(s *TeamSettings) float64 { return s.CycleDuration }},
	"cycleCooldownTime":  {0, 8, true, func(s *TeamSettings) float64 { return s.CycleCooldown }},
	"cycleStartDay":      {0, 6, true, func(s *TeamSettings) float64 { return s.CycleStartDay }},
	"upcomingCycleCount": {0, 10, true, func(s *TeamSettings) float64 { return s.UpcomingCycles }},
	"autoArchivePeriod":  {0, 120, false, func(s *TeamSettings) float64 { return s.AutoArchivePeriod }},
	"autoClosePeriod": {0, 120, false, func(s *TeamSettings) float64 {
		if s.AutoClosePeriod == nil {
			return 0
		}
		return *s.AutoClosePeriod
	}},
}

var estimationTypes = []string{"notUsed", "exponential", "fibonacci", "linear", "tShirt"}

// checkSettings returns BadArgument for a value in the input that a setting
// cannot have, and NotFound for a state of another team.
func (w *writer) checkSettings(team *Team, input map[string]any) error {
	for name, r := range settingRanges {
		if _, given := input[name]; !given {
			continue
		}
		v := r.get(&team.Options)
		if math.IsNaN(v) || v < r.least || v > r.most || r.whole && v != math.Trunc(v) {
			return badArgument(name, "%s must be %s from %g to %g", name, pick(r.whole, "a whole number", "a number"), r.least, r.most)
		}
	}
	if _, given := input["timezone"]; given {
		if _, err := time.LoadLocation(team.Options.Timezone); err != nil || team.Options.Timezone == "Local" || team.Options.Timezone == "" {
			return badArgument("timezone", "timezone must be the name of a time zone, such as Europe/Berlin")
		}
	}
	if _, given := input["issueEstimationType"]; given && !slices.Contains(estimationTypes, team.Options.EstimationType) {
		return badArgument("issueEstimationType", "issueEstimationType must be one of %s", strings.Join(estimationTypes, ", "))
	}
	state := team.Options.AutoCloseState
	if _, given := input["autoCloseStateId"]; !given || state == nil {
		return nil
	}
	s, err := States.Find(w.View, lower(*state))
	switch {
	case err != nil || s == nil || s.Team != team.ID || s.Archived != 0:
		return orElse(err, notFoundIn("WorkflowState", "autoCloseStateId"))
	case !s.closes():
		return badInput("Issues can only be closed into a state of type completed or canceled.")
	}
	return nil
}
