package crm

import (
	"hash/fnv"
	"regexp"
	"strconv"

	"understudy/internal/crm/schema"
)

// stageProperty returns the name of the property for the stage of a type's
// records: a stage of a pipeline, or a life-cycle stage.
func stageProperty(t Type) string {
	if _, stage := t.StageNames(); stage != "" {
		return stage
	}
	return "lifecyclestage"
}

// Each stage has properties for when records entered and left it, and how long
// they were in it. Their names have two generations. Values are stored under the
// second, the date of entering a life-cycle stage under a third name.
const (
	enteredPrefix = "hs_v2_date_entered_"
	exitedPrefix  = "hs_v2_date_exited_"
	latestPrefix  = "hs_v2_latest_time_in_"
	totalPrefix   = "hs_v2_cumulative_time_in_"
)

// enteredName returns the stored name of the date of entering a stage.
func enteredName(t Type, stage string) string {
	if t.HasPipelines() {
		return enteredPrefix + stage
	}
	return "hs_lifecyclestage_" + stage + "_date"
}

// stageID matches the ids of stages that can be part of a property name.
var stageID = regexp.MustCompile(`^[a-z0-9_]{1,60}$`)

// addStageDates adds the missing date properties of stages.
func (td *typeDefinitions) addStageDates(t Type) {
	of := td.property(stageProperty(t))
	for _, o := range of.Options {
		if !stageID.MatchString(o.Value) {
			continue
		}
		add := func(name, stored, kind, label string) {
			if td.property(name) != nil {
				return
			}
			p := &Property{Name: name, Label: label + " \"" + o.Label + "\"", Type: kind, FieldType: map[string]string{"datetime": "date", "number": "number"}[kind],
				GroupName: of.GroupName, Options: []Option{}, DisplayOrder: -1, HubspotDefined: true, Calculated: true, Object: t, Number: stageNumber(t, stored),
				ModificationMetadata: PropertyMetadata{ReadOnlyDefinition: true, ReadOnlyValue: true}}
			if name != stored {
				p.Alias = stored
				if base := td.property(stored); base != nil {
					p.Number = base.Number
				}
			}
			td.properties = append(td.properties, p)
			td.set(p)
		}
		entered := enteredName(t, o.Value)
		add(entered, entered, "datetime", "Date entered")
		add(enteredPrefix+o.Value, entered, "datetime", "Date entered")
		add("hs_date_entered_"+o.Value, entered, "datetime", "Date entered")
		add(exitedPrefix+o.Value, exitedPrefix+o.Value, "datetime", "Date exited")
		add("hs_date_exited_"+o.Value, exitedPrefix+o.Value, "datetime", "Date exited")
		add(latestPrefix+o.Value, latestPrefix+o.Value, "number", "Latest time in")
		add(totalPrefix+o.Value, totalPrefix+o.Value, "number", "Cumulative time in")
		add("hs_time_in_"+o.Value, totalPrefix+o.Value, "number", "Time in")
	}
}

// stageNumber returns the number of a stage's property in the value table. It is
// a hash, the same in every portal, since such properties come and go with
// stages.
func stageNumber(t Type, name string) int64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(t.String() + "/" + name))
	return int64(h.Sum64()>>2 | 1<<61)
}

// moveStage sets the dates for leaving one stage and entering another at now, in
// microseconds.
func (d *Definitions) moveStage(t Type, values, old map[string]string, now int64) {
	property, at := stageProperty(t), FormatTime(now)
	from, to := old[property], values[property]
	if from == to {
		return
	}
	known := func(stage string) bool { return stage != "" && d.types[t].property(exitedPrefix+stage) != nil }
	if known(from) {
		values[exitedPrefix+from] = at
		if since, ok := schema.ParseTime(values[enteredName(t, from)]); ok && values[enteredName(t, from)] != "" {
			spent := max(now/1000-since.UnixMilli(), 0)
			before, _ := strconv.ParseInt(values[totalPrefix+from], 10, 64)
			values[latestPrefix+from] = strconv.FormatInt(spent, 10)
			values[totalPrefix+from] = strconv.FormatInt(before+spent, 10)
		}
	}
	if known(to) {
		values[enteredName(t, to)], values[exitedPrefix+to] = at, ""
	}
}
