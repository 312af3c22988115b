package rest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"understudy/internal/crm/search"
)

var searchRoutes = []route{
	{"POST", "/crm/v3/objects/{type}/search", readTypes, (*call).search},
}

type searchInput struct {
	FilterGroups []struct {
		Filters []filterInput `json:"filters"`
	} `json:"filterGroups"`
	Filters    []filterInput     `json:"filters"`
	Query      *text             `json:"query"`
	Sorts      []json.RawMessage `json:"sorts"`
	Properties []string          `json:"properties"`
	Limit      *whole            `json:"limit"`
	After      text              `json:"after"`
}

type filterInput struct {
	PropertyName string `json:"propertyName"`
	Operator     string `json:"operator"`
	Value        *text  `json:"value"`
	HighValue    *text  `json:"highValue"`
	Values       []text `json:"values"`
}

func (f filterInput) filter() search.Filter {
	out := search.Filter{Property: f.PropertyName, Operator: f.Operator, Value: (*string)(f.Value), HighValue: (*string)(f.HighValue)}
	for _, v := range f.Values {
		out.Values = append(out.Values, string(v))
	}
	return out
}

// search converts the input to a request.
func (in searchInput) search() (s search.Request, err error) {
	for _, g := range in.FilterGroups {
		var group search.FilterGroup
		for _, f := range g.Filters {
			group = append(group, f.filter())
		}
		s.Groups = append(s.Groups, group)
	}
	if len(in.Filters) > 0 { // the short form has one group
		var group search.FilterGroup
		for _, f := range in.Filters {
			group = append(group, f.filter())
		}
		s.Groups = append(s.Groups, group)
	}
	for _, raw := range in.Sorts {
		sort, err := readSort(raw)
		if err != nil {
			return s, err
		}
		s.Sorts = append(s.Sorts, sort)
	}
	if in.Query != nil {
		s.Query = string(*in.Query)
	}
	if s.Limit = 10; in.Limit != nil {
		s.Limit = int(*in.Limit)
	}
	if in.After != "" {
		if s.Offset, err = strconv.Atoi(strings.TrimSpace(string(in.After))); err != nil || s.Offset < 0 {
			return s, badInput("Invalid after %q: it must be the value of paging.next.after", in.After)
		}
	}
	return s, nil
}

func readSort(raw json.RawMessage) (search.Sort, error) {
	var name string
	if json.Unmarshal(raw, &name) == nil {
		return search.ParseSort(name)
	}
	var o struct{ PropertyName, Direction string }
	if err := json.Unmarshal(raw, &o); err != nil {
		return search.Sort{}, badInput("Invalid input JSON: a sort must be a string or an object with propertyName and direction")
	}
	return search.NewSort(o.PropertyName, o.Direction)
}

func (c *call) search() error {
	var in searchInput
	if err := c.body(&in); err != nil {
		return err
	}
	s, err := in.search()
	if err != nil {
		return err
	}
	found, err := c.CRM.Search(c.ctx, c.principal, c.t, s)
	if err != nil {
		return err
	}
	d, err := c.CRM.Definitions(c.ctx, c.principal)
	if err != nil {
		return err
	}
	sel := c.selectProperties(d, in.Properties)
	b := append(make([]byte, 0, 512*len(found.Records)+64), `{"total":`...)
	b = append(strconv.AppendInt(b, int64(found.Total), 10), `,"results":[`...)
	for _, r := range found.Records {
		b = append(sel.appendRecord(b, r), ',')
	}
	b = closeList(b, ']')
	if found.Next > 0 {
		b = append(strconv.AppendInt(append(b, `,"paging":{"next":{"after":"`...), int64(found.Next), 10), `"}}`...)
	}
	return c.raw(http.StatusOK, append(b, '}'))
}
