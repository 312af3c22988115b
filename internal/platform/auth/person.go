package auth

import (
	"slices"
	"strings"
	"unicode"
)

// Person is someone of a service, as the admin plane lists them.
type Person struct {
	Tenant      string
	TenantName  string
	ID          string
	Name        string
	Handle      string
	Email       string
	Account     string // who signs in as them; "" for nobody
	Admin       bool
	Bot         bool
	Deactivated bool
}

// PersonQuery narrows a list of people; zero fields do not.
type PersonQuery struct {
	Tenant string
	Words  string // the beginning of a word of a name, the handle or the address
	Admin  bool   // admins alone
	After  string // the Position of the last one of the page before
	Limit  int
}

// Position returns where a person stands in lists: by tenant, then by id.
func (p Person) Position() string { return p.Tenant + "/" + p.ID }

func (q PersonQuery) matches(p Person) bool {
	if q.Tenant != "" && p.Tenant != q.Tenant || q.Admin && !p.Admin {
		return false
	}
	words := strings.ToLower(q.Words)
	return words == "" || slices.ContainsFunc([]string{p.Name, p.Handle, p.Email, p.ID}, func(text string) bool { return BeginsAWord(words, text) })
}

// BeginsAWord reports whether a word of a text, in any case, begins with a query
// in lower case.
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

// personStep is how many people are read at a time while looking for matches.
const personStep = 500

// FindPeople returns a page of the people that match, and reports whether there
// are more. read returns at most limit people after a tenant and an id, in order
// of both.
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

// ChoosePerson returns the one of several people whom a text names: by id,
// handle or e-mail address, in this order.
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
