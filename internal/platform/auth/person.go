package auth

import (
	"slices"
	"strings"
	"unicode"
)

// Person is a user of a service, as the admin plane lists them.
type Person struct {
	Tenant      string
	TenantName  string
	ID          string
	Name        string
	Handle      string
	Email       string
	Account     string // the account that signs in as the user; "" for none
	Admin       bool
	Bot         bool
	Deactivated bool
}

// PersonQuery filters a list of people; zero fields do not filter.
type PersonQuery struct {
	Tenant string
	Words  string // a prefix of a word of a name, of the handle or of the address
	Admin  bool   // only admins
	After  string // the Position of the last one on the previous page
	Limit  int
}

// Position returns the sort key of a person: tenant, then id.
func (p Person) Position() string { return p.Tenant + "/" + p.ID }

func (q PersonQuery) matches(p Person) bool {
	if q.Tenant != "" && p.Tenant != q.Tenant || q.Admin && !p.Admin {
		return false
	}
	words := strings.ToLower(q.Words)
	return words == "" || slices.ContainsFunc([]string{p.Name, p.Handle, p.Email, p.ID}, func(text string) bool { return BeginsAWord(words, text) })
}

// BeginsAWord reports whether a word of a text begins with a query in lower case,
// ignoring the case of the text.
func BeginsAWord(query, text string) bool {
	text = strings.ToLower(text)
	start := true
	for i, r := range text {
		if start && strings.HasPrefix(text[i:], query) {
			return true
		}
		start = !unicode.IsLetter(r) && !unicode.IsNumber(r)
	}
	return false
}

// personStep is how many people are read at a time when filtering.
const personStep = 500

// FindPeople returns a page of the matching people, and reports whether there are
// more. read returns at most limit people after a tenant and an id, in this
// order.
func FindPeople(q PersonQuery, read func(tenant, id string, limit int) ([]Person, error)) (out []Person, more bool, err error) {
	tenant, id, _ := strings.Cut(q.After, "/")
	for {
		rows, err := read(tenant, id, personStep)
		if err != nil {
			return nil, false, err
		}
		for _, p := range rows {
			tenant, id = p.Tenant, p.ID
			if !q.matches(p) {
				continue
			}
			if len(out) == q.Limit {
				return out, true, nil
			}
			out = append(out, p)
		}
		if len(rows) < personStep {
			return out, false, nil
		}
	}
}

// ChoosePerson returns the person with an id, handle or e-mail address, tried in
// this order.
func ChoosePerson(people []Person, text string) (p Person, found bool) {
	for _, of := range []func(Person) string{func(p Person) string { return p.ID }, func(p Person) string { return p.Handle },
		func(p Person) string { return p.Email }} {
		for _, p := range people {
			if strings.EqualFold(of(p), text) {
				return p, true
			}
		}
	}
	return Person{}, false
}
