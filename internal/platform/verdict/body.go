package verdict

import (
	"encoding/json"
	"slices"

	"understudy/internal/platform/verdict/match"
)

// codePlaces are where the dialects of services put the code of an error. Ingestion
// has a sentence in error, beside its code.
var codePlaces = []match.Pointer{{"errors", "0", "extensions", "code"}, {"category"}, {"error", "code"}, {"code"}, {"error"}}

// codeOf returns the code in an error reply, nil if there is none.
func codeOf(reply []byte) any {
	body := match.Normal(json.RawMessage(reply))
	for _, place := range codePlaces {
		if code, ok := place.In(body).(string); ok {
			return code
		}
	}
	return nil
}

// readsBodies reports whether a rule of the document needs the bodies of requests
// or replies.
func (d *Document) readsBodies() bool {
	return slices.ContainsFunc(d.trajectory, func(r *rule) bool {
		return r.act == noRepeats || slices.ContainsFunc(r.selectors, func(s *selector) bool { return s.code != nil || len(s.body) > 0 })
	})
}
