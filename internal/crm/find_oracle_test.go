package crm_test

import (
	"context"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"understudy/internal/crm"
	"understudy/internal/crm/search"
	"understudy/internal/platform/auth"
	"understudy/internal/platform/bus"
	"understudy/internal/platform/clock"
	"understudy/internal/platform/ids"
	"understudy/internal/platform/store"
	"understudy/internal/platform/store/storetest"
)

func TestMain(m *testing.M) { storetest.Main(m) }

var (
	schemas = []store.Schema{auth.Schema(), crm.Schema()}
	start   = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
)

// newCRM returns a CRM with one portal and its caller.
func newCRM(t testing.TB, w *store.World) (*crm.CRM, *auth.Principal, *clock.Clock) {
	t.Helper()
	c := clock.At(start)
	source := ids.Seeded(1, 0)
	secrets := ids.NewSecrets([]byte("root"), "lineage")
	a := auth.New(w, c, source, &bus.Bus{}, secrets)
	service := crm.New(w, crm.Deps{Clock: c, IDs: source, Secrets: secrets, Auth: a, Log: slog.New(slog.DiscardHandler)})
	t.Cleanup(service.Close)
	if _, _, err := service.CreatePortal(context.Background(), crm.NewPortal{Name: "P", Email: "p@example.com", Token: "pat-na1-x"}); err != nil {
		t.Fatal(err)
	}
	p, err := a.Resolve(context.Background(), crm.Name, "pat-na1-x")
	if err != nil {
		t.Fatal(err)
	}
	return service, p, c
}

// person is a contact as the oracle knows it.
type person struct {
	id     int64
	values map[string]string
}

// TestSearchAgreesWithLookingAtEveryRecord runs random searches and compares
// them with a check of every record. There are enough matches for scans of
// indexes, and few enough for gathering.
func TestSearchAgreesWithLookingAtEveryRecord(t *testing.T) {
	t.Parallel()
	storetest.Run(t, schemas, func(t *testing.T, w *store.World) {
		service, p, c := newCRM(t, w)
		rnd := rand.New(rand.NewPCG(7, 7))
		service.ChunkOf(16) // sets of many chunks
		people := populate(t, service, p, c, rnd, 1_200)
		if err := service.Index(t.Context()); err != nil {
			t.Fatal(err)
		}
		for i := range 400 {
			service.GatherAtMost([]int{search.Window, 100, 10}[i%3])
			service.SampleMany(map[bool]int{false: 240, true: 2}[i%4 == 3])
			in, matches, less := randomSearch(rnd)
			var wanted []person
			for _, who := range people {
				if matches(who.values) {
					wanted = append(wanted, who)
				}
			}
			slices.SortStableFunc(wanted, less)
			got, err := service.Search(t.Context(), p, crm.Contacts, in)
			if err != nil {
				t.Fatalf("%+v: %v", in, err)
			}
			end := min(in.Offset+in.Limit, len(wanted))
			page := wanted[min(in.Offset, end):end]
			if got.Total != len(wanted) || len(got.Records) != len(page) || (got.Next != 0) != (end < len(wanted)) {
				t.Fatalf("%s: total %d, %d records, next %d; wanted %d, %d of them", describe(in), got.Total, len(got.Records), got.Next, len(wanted), len(page))
			}
			for i := range page {
				if got.Records[i].ID != page[i].id {
					t.Fatalf("%s: record %d is %d, not %d", describe(in), i, got.Records[i].ID, page[i].id)
				}
			}
		}
	})
}

func describe(in search.Request) string {
	var b strings.Builder
	for _, g := range in.Groups {
		for _, f := range g {
			v := "nil"
			if f.Value != nil {
				v = *f.Value
			}
			fmt.Fprintf(&b, "%s %s %s %v; ", f.Property, f.Operator, v, f.Values)
		}
		b.WriteString("| ")
	}
	return fmt.Sprintf("%s query %q sorts %v offset %d limit %d", b.String(), in.Query, in.Sorts, in.Offset, in.Limit)
}

func populate(t *testing.T, service *crm.CRM, p *auth.Principal, c *clock.Clock, rnd *rand.Rand, n int) (people []person) {
	words := []string{"river", "mill", "studio", "north", "light"}
	for len(people) < n {
		var batch []crm.CreateRecord
		for range 100 {
			i := len(people) + len(batch)
			v := map[string]string{"email": fmt.Sprintf("p%d@example.com", i), "firstname": words[rnd.IntN(5)], "company": words[rnd.IntN(5)] + " " + words[rnd.IntN(5)]}
			if rnd.IntN(3) > 0 {
				v["lifecyclestage"] = []string{"lead", "customer"}[rnd.IntN(2)]
			}
			if rnd.IntN(2) > 0 {
				v["hs_pinned_engagement_id"] = strconv.Itoa(rnd.IntN(300) - 100)
			}
			batch = append(batch, crm.CreateRecord{Properties: v})
		}
		c.Advance(time.Minute)
		made, _, err := service.CreateRecords(t.Context(), p, crm.Contacts, batch, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, r := range made {
			v := batch[i].Properties
			v["createdate"] = crm.FormatTime(r.Created)
			people = append(people, person{r.ID, v})
		}
	}
	// Changes and archives, so that what the indexes forget is asked for too.
	for range n / 10 {
		i := rnd.IntN(len(people))
		change := map[string]string{"firstname": "light", "hs_pinned_engagement_id": ""}
		if _, err := service.UpdateRecord(t.Context(), p, crm.Contacts, crm.UpdateRecord{Key: strconv.FormatInt(people[i].id, 10), Properties: change}); err != nil {
			t.Fatal(err)
		}
		for k, v := range change {
			people[i].values[k] = v
		}
		i = rnd.IntN(len(people))
		if err := service.ArchiveRecord(t.Context(), p, crm.Contacts, strconv.FormatInt(people[i].id, 10)); err != nil {
			t.Fatal(err)
		}
		people = slices.Delete(people, i, i+1)
	}
	return people
}

// randomSearch returns a search with the oracle's answer to it.
func randomSearch(rnd *rand.Rand) (in search.Request, matches func(map[string]string) bool, less func(a, b person) int) {
	in.Limit, in.Offset = 1+rnd.IntN(30), rnd.IntN(3)*rnd.IntN(60)
	var groups [][]func(map[string]string) bool
	for range rnd.IntN(3) {
		var g search.FilterGroup
		var tests []func(map[string]string) bool
		for range 1 + rnd.IntN(3) {
			f, test := randomFilter(rnd)
			g, tests = append(g, f), append(tests, test)
		}
		in.Groups, groups = append(in.Groups, g), append(groups, tests)
	}
	query := func(map[string]string) bool { return true }
	if rnd.IntN(4) == 0 {
		in.Query = []string{"riv", "studio", "light north", "l mi", "p1 riv", "p", "p riv"}[rnd.IntN(7)]
		query = func(v map[string]string) bool {
			for _, term := range strings.Fields(in.Query) {
				if !slices.ContainsFunc(strings.FieldsFunc(v["firstname"]+" "+v["company"]+" "+v["email"], func(r rune) bool { return strings.ContainsRune(" @.", r) }), func(w string) bool { return strings.HasPrefix(w, term) }) {
					return false
				}
			}
			return true
		}
	}
	less = func(a, b person) int { return int(a.id - b.id) }
	if rnd.IntN(3) > 0 {
		property := []string{"firstname", "hs_pinned_engagement_id", "createdate", "lifecyclestage", "hs_object_id"}[rnd.IntN(5)]
		in.Sorts = []search.Sort{{Property: property, Descending: rnd.IntN(2) == 0}}
		less = order(in.Sorts[0])
	}
	return in, func(v map[string]string) bool {
		return query(v) && (len(groups) == 0 || slices.ContainsFunc(groups, func(tests []func(map[string]string) bool) bool {
			return !slices.ContainsFunc(tests, func(test func(map[string]string) bool) bool { return !test(v) })
		}))
	}, less
}

func order(s search.Sort) func(a, b person) int {
	return func(a, b person) int {
		x, y := a.values[s.Property], b.values[s.Property]
		n := strings.Compare(x, y)
		switch {
		case s.Property == "hs_object_id":
			n = 0
		case x == "" && y == "":
			return int(a.id - b.id)
		case x == "":
			return 1
		case y == "":
			return -1
		case s.Property == "hs_pinned_engagement_id":
			i, _ := strconv.Atoi(x)
			j, _ := strconv.Atoi(y)
			n = i - j
		}
		if n == 0 {
			n = int(a.id - b.id)
		}
		if s.Descending {
			return -n
		}
		return n
	}
}

func randomFilter(rnd *rand.Rand) (search.Filter, func(map[string]string) bool) {
	word := []string{"river", "mill", "studio", "north", "light"}[rnd.IntN(5)]
	number := rnd.IntN(300) - 100
	at := crm.FormatTime(start.Add(time.Duration(rnd.IntN(13)) * time.Minute).UnixMicro())
	numeric := func(v map[string]string, test func(int) bool) bool {
		n, err := strconv.Atoi(v["hs_pinned_engagement_id"])
		return err == nil && test(n)
	}
	text := strconv.Itoa(number)
	high := strconv.Itoa(number + 50)
	switch rnd.IntN(16) {
	case 0:
		return search.Filter{Property: "firstname", Operator: "EQ", Value: &word}, func(v map[string]string) bool { return v["firstname"] == word }
	case 1:
		return search.Filter{Property: "firstname", Operator: "NEQ", Value: &word}, func(v map[string]string) bool { return v["firstname"] != word }
	case 2:
		return search.Filter{Property: "firstname", Operator: "IN", Values: []string{word, "mill"}}, func(v map[string]string) bool { return v["firstname"] == word || v["firstname"] == "mill" }
	case 3:
		lead := "lead"
		return search.Filter{Property: "lifecyclestage", Operator: "NOT_IN", Values: []string{lead}}, func(v map[string]string) bool { return v["lifecyclestage"] == "customer" }
	case 4:
		return search.Filter{Property: "lifecyclestage", Operator: "HAS_PROPERTY"}, func(v map[string]string) bool { return v["lifecyclestage"] != "" }
	case 5:
		return search.Filter{Property: "lifecyclestage", Operator: "NOT_HAS_PROPERTY"}, func(v map[string]string) bool { return v["lifecyclestage"] == "" }
	case 6:
		return search.Filter{Property: "company", Operator: "CONTAINS_TOKEN", Value: &word}, func(v map[string]string) bool { return slices.Contains(strings.Fields(v["company"]), word) }
	case 7:
		return search.Filter{Property: "company", Operator: "NOT_CONTAINS_TOKEN", Value: &word}, func(v map[string]string) bool { return !slices.Contains(strings.Fields(v["company"]), word) }
	case 8:
		return search.Filter{Property: "hs_pinned_engagement_id", Operator: "GTE", Value: &text}, func(v map[string]string) bool { return numeric(v, func(n int) bool { return n >= number }) }
	case 9:
		return search.Filter{Property: "hs_pinned_engagement_id", Operator: "LT", Value: &text}, func(v map[string]string) bool { return numeric(v, func(n int) bool { return n < number }) }
	case 10:
		return search.Filter{Property: "hs_pinned_engagement_id", Operator: "BETWEEN", Value: &text, HighValue: &high}, func(v map[string]string) bool {
			return numeric(v, func(n int) bool { return n >= number && n <= number+50 })
		}
	case 11:
		return search.Filter{Property: "createdate", Operator: "GT", Value: &at}, func(v map[string]string) bool { return v["createdate"] > at }
	case 12:
		return search.Filter{Property: "hs_full_name_or_email", Operator: "EQ", Value: &word}, func(v map[string]string) bool { return v["firstname"] == word }
	case 13:
		return search.Filter{Property: "hs_full_name_or_email", Operator: "CONTAINS_TOKEN", Value: &word}, func(v map[string]string) bool { return v["firstname"] == word }
	case 14:
		domain := "Example.com"
		return search.Filter{Property: "hs_email_domain", Operator: "EQ", Value: &domain}, func(v map[string]string) bool { return v["email"] != "" }
	}
	mail := "P7@example.com"
	return search.Filter{Property: "email", Operator: "EQ", Value: &mail}, func(v map[string]string) bool { return v["email"] == "p7@example.com" }
}
