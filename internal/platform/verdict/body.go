package verdict

import (
	"encoding/json"
	"slices"

	"understudy/internal/platform/verdict/match"
)

// codePlaces are where the dialects of services have the code of a refusal.
var codePlaces = []match.Pointer{{"errors", "0", "extensions", "code"}, {"category"}, {"error", "code"}, {"error"}, {"code"}}

// codeOf returns the code of a refusal, nil for a reply that has none.
func codeOf(reply []byte) any {
	body := match.Normal(json.RawMessage(reply))
	for _, place := range codePlaces {
		if code, ok := place.In(body).(string); ok {
			return code
		}
	}
	return nil
}

// readsBodies reports whether a rule of the document looks into requests or replies.
func (d *Document) readsBodies() bool {
	return slices.ContainsFunc(d.trajectory, func(r *rule) bool {
		return r.act == noRepeats || slices.ContainsFunc(r.selectors, func(s *selector) bool { return s.code != nil || len(s.body) > 0 })
	})
}
