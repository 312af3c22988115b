package crm_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"understudy/internal/crm"
	"understudy/internal/crm/search"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

// plainRecord is a contact as the plain evaluator knows it.
type plainRecord struct {
	id     int64
	values map[string]string
	links  map[int64]bool // companies
}

// plain is a portal of contacts and the plainest way to search them.
type plain struct {
	rnd       *rand.Rand
	companies []int64
	records   []*plainRecord
}

// plainKinds are the properties that are searched, with how they compare.
var plainKinds = map[string]string{"d_text": "text", "d_note": "text", "d_num": "number", "d_date": "date", "d_time": "datetime", "d_flag": "bool",
	"d_pick": "pick", "d_set": "set", "createdate": "datetime", "hs_object_id": "number", "firstname": "text", "email": "text"}

var plainNames = slices.Sorted(maps.Keys(plainKinds))

// TestSearchAgreesOnEveryTypeAndOperator runs random searches over properties
// of every type, by every operator, over records that were changed, cleared,
// merged, archived and linked, and compares both databases with looking at
// every record.
func TestSearchAgreesOnEveryTypeAndOperator(t *testing.T) {
	t.Parallel()
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		service, p, c := newCRM(t, w)
		o := &plain{rnd: rand.New(rand.NewPCG(11, 4))}
		service.ChunkOf(16) // sets of many chunks
		o.populate(t, service, p, c, 600)
		service.Close() // the index is behind except where it is filled below
		began := time.Now()
		for i := 0; i < 500 && time.Since(began) < 20*time.Second; i++ {
			service.GatherAtMost([]int{search.Window, 60, 5}[i%3])
			if i%20 == 19 {
				o.disturb(t, service, p)
			}
			if i%40 == 9 { // what was disturbed is in the sets, or is not yet
				if err := service.Index(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			o.compare(t, service, p, o.search())
		}
	})
}

func (o *plain) compare(t *testing.T, service *crm.CRM, p *auth.Principal, in search.Request) {
	t.Helper()
	var wanted []*plainRecord
	for _, r := range o.records {
		if o.matches(in, r) {
			wanted = append(wanted, r)
		}
	}
	slices.SortFunc(wanted, func(a, b *plainRecord) int { return plainOrder(in.Sorts, a, b) })
	got, err := service.Search(context.Background(), p, crm.Contacts, in)
	if err != nil {
		t.Fatalf("%s: %v", describe(in), err)
	}
	page := wanted[min(in.Offset, len(wanted)):min(in.Offset+in.Limit, len(wanted))]
	var ids, found []int64
	for _, r := range page {
		ids = append(ids, r.id)
	}
	for _, r := range got.Records {
		found = append(found, r.ID)
	}
	if got.Total != len(wanted) || !slices.Equal(ids, found) || (got.Next != 0) != (in.Limit > 0 && in.Offset+in.Limit < len(wanted)) {
		t.Fatalf("%s: total %d, next %d, %v; wanted %d, %v", describe(in), got.Total, got.Next, found, len(wanted), ids)
	}
}

func (o *plain) populate(t *testing.T, service *crm.CRM, p *auth.Principal, c *clock.Clock, n int) {
	yes := crm.Option{Label: "A", Value: "Alpha"}
	options := []crm.Option{yes, {Label: "B", Value: "beta"}, {Label: "C", Value: "alpha"}, {Label: "D", Value: "d 4"}}
	var define []crm.Property
	for _, d := range []struct{ name, kind, field string }{{"d_text", "string", "text"}, {"d_note", "string", "textarea"}, {"d_num", "number", "number"},
		{"d_date", "date", "date"}, {"d_time", "datetime", "date"}, {"d_flag", "bool", "booleancheckbox"}, {"d_pick", "enumeration", "select"}, {"d_set", "enumeration", "checkbox"}} {
		def := crm.Property{Name: d.name, Label: d.name, Type: d.kind, FieldType: d.field, GroupName: "contactinformation"}
		if d.kind == "enumeration" {
			def.Options = options
		}
		define = append(define, def)
	}
	if _, errs, err := service.CreateProperties(t.Context(), p, crm.Contacts, define); err != nil || errors.Join(errs...) != nil {
		t.Fatal(err, errs)
	}
	companies, _, err := service.CreateRecords(t.Context(), p, crm.Companies, make([]crm.CreateRecord, 8), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range companies {
		o.companies = append(o.companies, r.ID)
	}
	for len(o.records) < n {
		var batch []crm.CreateRecord
		for range 50 {
			r := crm.CreateRecord{Properties: o.values()}
			r.Properties["email"] = fmt.Sprintf("p%d@Mail%d.example.com", len(o.records)+len(batch), o.rnd.IntN(3))
			if o.rnd.IntN(3) == 0 {
				r.Associations = []crm.NewAssociation{{To: o.companies[o.rnd.IntN(len(o.companies))], Types: []crm.AssociationSpec{{Category: crm.HubspotDefined, TypeID: []int64{1, 279}[o.rnd.IntN(2)]}}}}
			}
			batch = append(batch, r)
		}
		c.Advance(90 * time.Second)
		made, _, err := service.CreateRecords(t.Context(), p, crm.Contacts, batch, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range made {
			links := map[int64]bool{}
			for _, a := range batch[i].Associations {
				links[a.To] = true
			}
			o.records = append(o.records, &plainRecord{r.ID, plainValues(r), links})
		}
	}
}

// plainValues returns what the reply to a write shows.
func plainValues(r *crm.Record) map[string]string {
	v := r.Bag.Map()
	v["createdate"], v["hs_object_id"] = crm.FormatTime(r.Created), strconv.FormatInt(r.ID, 10)
	return v
}

var plainPool = map[string][]string{
	"text": {"River Mill", "river mill", "RIVER", "mill-river", "Studio", "studios", "a;b", "x", "10", "9", "Äpfel", "äpfel", "o'neil & co.", "mill  river studio",
		"200 Main St. #4", "100%", "under_score", "日本 語", "Straße", "STRASSE"},
	"number":   {"0", "-0", "0.0", "5", "5.0", "-3", "1e3", "1000", "10", "9", "2.5", "-0.001", "123456789012345", "+7", "007"},
	"date":     {"2026-02-28", "2026-03-01", "2026-03-02", "1772323200000", "1999-12-31", "2026-03-01T00:00:00Z", "2026-03-01T02:00:00+02:00"},
	"datetime": {"2026-03-01T12:01:30Z", "2026-03-01T13:01:30+01:00", "2026-03-01", "1772366490000", "2026-03-01T12:05:00.123Z", "2026-03-01T12:04:30Z", "2025-12-31T23:59:59.999-05:00"},
	"bool":     {"true", "false"},
	"pick":     {"Alpha", "alpha", "beta", "d 4"},
	"set":      {"Alpha", "beta;alpha", "alpha;d 4;beta", "Alpha;alpha", ";beta"},
}

func (o *plain) pick(kind string) string { return plainPool[kind][o.rnd.IntN(len(plainPool[kind]))] }

// values returns some values to set.
func (o *plain) values() map[string]string {
	v := map[string]string{}
	for _, name := range plainNames {
		switch {
		case name == "createdate" || name == "hs_object_id" || name == "email" || o.rnd.IntN(4) == 0:
		case o.rnd.IntN(8) == 0:
			v[name] = ""
		default:
			v[name] = o.pick(plainKinds[name])
		}
	}
	return v
}

// disturb changes, archives, merges and links some records.
func (o *plain) disturb(t *testing.T, service *crm.CRM, p *auth.Principal) {
	any := func() (int, *plainRecord, string) {
		i := o.rnd.IntN(len(o.records))
		return i, o.records[i], strconv.FormatInt(o.records[i].id, 10)
	}
	for range 3 {
		_, r, key := any()
		out, err := service.UpdateRecord(t.Context(), p, crm.Contacts, crm.UpdateRecord{Key: key, Properties: o.values()})
		if err != nil {
			t.Fatal(err)
		}
		r.values = plainValues(out)
		_, r, key = any()
		to := o.companies[o.rnd.IntN(len(o.companies))]
		if _, refused, err := service.Associate(t.Context(), p, crm.Contacts, crm.Companies, []crm.Pair{{From: key, To: strconv.FormatInt(to, 10)}}); err != nil || refused != nil {
			t.Fatal(err, refused)
		}
		r.links[to] = true
	}
	i, _, key := any()
	if err := service.ArchiveRecord(t.Context(), p, crm.Contacts, key); err != nil {
		t.Fatal(err)
	}
	o.records = slices.Delete(o.records, i, i+1)
	i, gone, key := any()
	_, r, into := any()
	if r == gone {
		return
	}
	out, err := service.MergeRecords(t.Context(), p, crm.Contacts, into, key)
	if err != nil {
		t.Fatal(err)
	}
	r.values = plainValues(out)
	maps.Copy(r.links, gone.links)
	o.records = slices.Delete(o.records, i, i+1)
}

var plainOperators = []string{"EQ", "NEQ", "LT", "LTE", "GT", "GTE", "BETWEEN", "IN", "NOT_IN", "HAS_PROPERTY", "NOT_HAS_PROPERTY", "CONTAINS_TOKEN", "NOT_CONTAINS_TOKEN"}

func (o *plain) filter() search.Filter {
	if o.rnd.IntN(8) == 0 {
		f := search.Filter{Property: []string{"associations.company", "associations.companies", "associations.0-2"}[o.rnd.IntN(3)],
			Operator: []string{"EQ", "NEQ", "IN", "NOT_IN", "HAS_PROPERTY", "NOT_HAS_PROPERTY"}[o.rnd.IntN(6)]}
		for range 3 {
			f.Values = append(f.Values, strconv.FormatInt(o.companies[o.rnd.IntN(len(o.companies))], 10))
		}
		f.Value = &f.Values[0]
		return f
	}
	f := search.Filter{Property: plainNames[o.rnd.IntN(len(plainNames))], Operator: plainOperators[o.rnd.IntN(len(plainOperators))]}
	kind := plainKinds[f.Property]
	give := func() string {
		switch {
		case f.Property == "hs_object_id":
			return strconv.FormatInt(o.records[o.rnd.IntN(len(o.records))].id, 10)
		case f.Property == "email":
			return strings.ToUpper(o.records[o.rnd.IntN(len(o.records))].values["email"])
		case kind == "date" && o.rnd.IntN(4) == 0:
			return "2026-03-01T10:00:00Z"
		}
		return o.pick(kind)
	}
	if strings.HasSuffix(f.Operator, "CONTAINS_TOKEN") {
		kind = "text"
		token := []string{"river", "MILL", "mill river", "riv*", "*ver", "*tudi*", "st", "*", "example.com", "p1*", "2026", "alpha", "äpfel", "äp*", "10", "mail1", "*l river*", "#4", "語"}[o.rnd.IntN(19)]
		f.Value = &token
		return f
	}
	if f.Operator == "LT" || f.Operator == "GT" || f.Operator == "LTE" || f.Operator == "GTE" || f.Operator == "BETWEEN" {
		if kind == "set" {
			f.Property, kind = "d_num", "number"
		}
	}
	v, high := give(), give()
	f.Value, f.HighValue = &v, &high
	for range 1 + o.rnd.IntN(3) {
		e := give()
		if kind == "set" {
			e = o.pick("pick")
		}
		f.Values = append(f.Values, e)
	}
	return f
}

func (o *plain) search() (in search.Request) {
	in.Limit, in.Offset = o.rnd.IntN(20), o.rnd.IntN(3)*o.rnd.IntN(40)
	for range o.rnd.IntN(4) {
		var g search.FilterGroup
		for range 1 + o.rnd.IntN(3) {
			g = append(g, o.filter())
		}
		in.Groups = append(in.Groups, g)
	}
	if o.rnd.IntN(5) == 0 {
		in.Query = []string{"riv", "Mill RIV", "p1 example", "äpf", "10", "mail1.exam", "stu x", "p5@mail", "zzz", "日"}[o.rnd.IntN(10)]
	}
	if o.rnd.IntN(3) > 0 {
		in.Sorts = []search.Sort{{Property: plainNames[o.rnd.IntN(len(plainNames))], Descending: o.rnd.IntN(2) == 0}}
	}
	return in
}

func (o *plain) matches(in search.Request, r *plainRecord) bool {
	if in.Query != "" {
		words := plainWords(strings.Join([]string{r.values["firstname"], r.values["email"], r.values["hs_additional_emails"]}, " "))
		for _, term := range plainWords(in.Query) {
			if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, term) }) {
				return false
			}
		}
	}
	return len(in.Groups) == 0 || slices.ContainsFunc(in.Groups, func(g search.FilterGroup) bool {
		return !slices.ContainsFunc(g, func(f search.Filter) bool { return !plainFilter(f, r) })
	})
}

func plainFilter(f search.Filter, r *plainRecord) bool {
	if strings.HasPrefix(f.Property, "associations.") {
		linked := func(v string) bool { id, _ := strconv.ParseInt(v, 10, 64); return r.links[id] }
		switch f.Operator {
		case "EQ":
			return linked(*f.Value)
		case "NEQ":
			return !linked(*f.Value)
		case "IN":
			return slices.ContainsFunc(f.Values, linked)
		case "NOT_IN":
			return !slices.ContainsFunc(f.Values, linked)
		case "HAS_PROPERTY":
			return len(r.links) > 0
		}
		return len(r.links) == 0
	}
	kind, v := plainKinds[f.Property], r.values[f.Property]
	compare := func(with string) int { return plainCompare(kind, v, with) }
	equal := func(with string) bool {
		if kind != "set" {
			return compare(with) == 0
		}
		has := strings.Split(v, ";")
		return !slices.ContainsFunc(strings.Split(strings.Trim(with, ";"), ";"), func(e string) bool { return !slices.Contains(has, e) })
	}
	switch f.Operator {
	case "HAS_PROPERTY":
		return v != ""
	case "NOT_HAS_PROPERTY":
		return v == ""
	case "NOT_CONTAINS_TOKEN":
		return v == "" || !plainPhrase(*f.Value, v)
	}
	if v == "" {
		return false
	}
	switch f.Operator {
	case "EQ":
		return equal(*f.Value)
	case "NEQ":
		return !equal(*f.Value)
	case "LT":
		return compare(*f.Value) < 0
	case "LTE":
		return compare(*f.Value) <= 0
	case "GT":
		return compare(*f.Value) > 0
	case "GTE":
		return compare(*f.Value) >= 0
	case "BETWEEN":
		return compare(*f.Value) >= 0 && compare(*f.HighValue) <= 0
	case "IN":
		return slices.ContainsFunc(f.Values, equal)
	case "NOT_IN":
		return !slices.ContainsFunc(f.Values, equal)
	}
	return plainPhrase(*f.Value, v)
}

func plainCompare(kind, a, b string) int {
	switch kind {
	case "number":
		x, _ := strconv.ParseFloat(a, 64)
		y, _ := strconv.ParseFloat(b, 64)
		return cmp.Compare(x, y)
	case "date", "datetime":
		return plainTime(a).Compare(plainTime(b))
	case "text":
		return strings.Compare(strings.ToLower(a), strings.ToLower(b))
	}
	return strings.Compare(a, b)
}

func plainTime(v string) time.Time {
	for _, layout := range []string{time.RFC3339Nano, time.DateOnly} {
		if at, err := time.Parse(layout, v); err == nil {
			return at
		}
	}
	ms, _ := strconv.ParseInt(v, 10, 64)
	return time.UnixMilli(ms)
}

func plainWords(v string) []string {
	return strings.FieldsFunc(strings.ToLower(v), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsNumber(r) })
}

func plainPhrase(want, v string) bool {
	phrase, words := plainWords(want), plainWords(v)
	if want == "*" {
		return true
	}
	for i := 0; i+len(phrase) <= len(words); i++ {
		ok := true
		for j, p := range phrase {
			w := words[i+j]
			start, end := j == 0 && strings.HasPrefix(want, "*"), j == len(phrase)-1 && strings.HasSuffix(want, "*")
			switch {
			case start && end:
				ok = ok && strings.Contains(w, p)
			case start:
				ok = ok && strings.HasSuffix(w, p)
			case end:
				ok = ok && strings.HasPrefix(w, p)
			default:
				ok = ok && w == p
			}
		}
		if ok {
			return true
		}
	}
	return false
}

// plainOrder sorts records without a value last and ties by id; both are
// reversed with the order.
func plainOrder(sorts []search.Sort, a, b *plainRecord) int {
	if len(sorts) == 0 {
		return cmp.Compare(a.id, b.id)
	}
	name, kind := sorts[0].Property, plainKinds[sorts[0].Property]
	x, y := a.values[name], b.values[name]
	switch {
	case x == "" && y == "":
		return cmp.Compare(a.id, b.id)
	case x == "":
		return 1
	case y == "":
		return -1
	}
	if kind == "set" { // by its first element, or its last when the order is reversed
		least := slices.Min[[]string]
		if sorts[0].Descending {
			least = slices.Max[[]string]
		}
		x, y = least(strings.Split(x, ";")), least(strings.Split(y, ";"))
	}
	n := cmp.Or(plainCompare(kind, x, y), cmp.Compare(a.id, b.id))
	if sorts[0].Descending {
		return -n
	}
	return n
}
