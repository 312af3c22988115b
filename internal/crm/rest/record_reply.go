package rest

import (
	"fmt"
	"slices"
	"sort"
	"strconv"

	"understudy/internal/crm"
	"understudy/internal/platform/jsontext"
)

// selection is the properties of records in a reply, in the order of names: those
// requested, or the type's defaults, and always the system's.
type selection struct {
	properties []*crm.Property
	call       *call // for links
}

func (c *call) selectProperties(d *crm.Definitions, names []string) selection {
	t := c.t
	if len(names) == 0 {
		names = d.Returned(t)
	}
	modified := "hs_lastmodifieddate"
	if t == crm.Contacts {
		modified = "lastmodifieddate"
	}
	s := selection{call: c}
	for _, name := range slices.Concat(names, []string{"createdate", "hs_object_id", modified}) {
		if p := d.Property(t, name); p != nil && !slices.Contains(s.properties, p) {
			s.properties = append(s.properties, p)
		}
	}
	sort.Slice(s.properties, func(i, j int) bool { return s.properties[i].Name < s.properties[j].Name })
	return s
}

// appendRecord appends a record in the form of reads.
func (s selection) appendRecord(b []byte, r *crm.Record) []byte {
	b = appendHead(b, r)
	// The bag and the selection are both in the order of names, so one pass
	// suffices.
	next := 0
	write := func(p *crm.Property, quoted string) {
		b = append(append(append(append(b, '"'), p.Name...), `":`...), quoted...)
		b = append(b, ',')
	}
	plain := func(p *crm.Property) {
		if v := r.Value(p); v != "" {
			write(p, string(jsontext.Append(nil, v)))
		} else {
			write(p, "null")
		}
	}
	r.Bag.Each(func(name, quoted string) bool {
		for next < len(s.properties) && s.properties[next].Name < name {
			plain(s.properties[next])
			next++
		}
		if next < len(s.properties) && s.properties[next].Name == name {
			write(s.properties[next], quoted)
			next++
		}
		return next < len(s.properties)
	})
	for ; next < len(s.properties); next++ {
		plain(s.properties[next])
	}
	return s.appendTail(closeList(b, '}'), r)
}

// appendWritten appends a record in the form of replies to writes: without empty
// values.
func appendWritten(b []byte, values crm.AllValues, r *crm.Record) []byte {
	b = appendHead(b, r)
	values.Each(r, func(name, quoted string) {
		b = append(append(append(append(append(b, '"'), name...), `":`...), quoted...), ',')
	}, func(name, value string) {
		b = append(jsontext.Append(append(append(append(b, '"'), name...), `":`...), value), ',')
	})
	return selection{}.appendTail(closeList(b, '}'), r)
}

func appendHead(b []byte, r *crm.Record) []byte {
	b = append(b, `{"id":"`...)
	b = strconv.AppendInt(b, r.ID, 10)
	return append(b, `","properties":{`...)
}

// closeList ends an object or array, replacing a trailing comma.
func closeList(b []byte, end byte) []byte {
	if b[len(b)-1] == ',' {
		b = b[:len(b)-1]
	}
	return append(b, end)
}

func (s selection) appendTail(b []byte, r *crm.Record) []byte {
	if r.History != nil {
		b = appendHistory(b, r)
	}
	b = appendTime(b, "createdAt", r.Created)
	b = appendTime(b, "updatedAt", r.Updated)
	b = append(b, `,"archived":`...)
	b = strconv.AppendBool(b, r.Archived != 0)
	if r.Archived != 0 {
		b = appendTime(b, "archivedAt", r.Archived)
	}
	if len(r.Associations) > 0 {
		b = s.appendAssociations(b, r)
	}
	if r.TraceID != "" {
		b = jsontext.Append(append(b, `,"objectWriteTraceId":`...), r.TraceID)
	}
	return append(b, '}')
}

func appendTime(b []byte, name string, micros int64) []byte {
	b = append(append(append(b, `,"`...), name...), `":"`...)
	return append(append(b, crm.FormatTime(micros)...), '"')
}

func appendHistory(b []byte, r *crm.Record) []byte {
	b = append(b, `,"propertiesWithHistory":{`...)
	names := make([]string, 0, len(r.History))
	for n := range r.History {
		names = append(names, n)
	}
	slices.Sort(names)
	for _, n := range names {
		b = append(append(append(b, '"'), n...), `":[`...)
		for _, e := range r.History[n] {
			b = jsontext.Append(append(b, `{"value":`...), e.Value)
			b = appendTime(b, "timestamp", e.At)
			b = jsontext.Append(append(b, `,"sourceType":`...), e.Source)
			if e.SourceID != "" {
				b = jsontext.Append(append(b, `,"sourceId":`...), e.SourceID)
			}
			if e.UserID != 0 {
				b = strconv.AppendInt(append(b, `,"updatedByUserId":`...), e.UserID, 10)
			}
			b = append(b, '}', ',')
		}
		b = append(closeList(b, ']'), ',')
	}
	return closeList(b, '}')
}

// appendAssociations appends an entry for each type of each link, by plural
// names.
func (s selection) appendAssociations(b []byte, r *crm.Record) []byte {
	b = append(b, `,"associations":{`...)
	for _, t := range []crm.Type{crm.Companies, crm.Contacts, crm.Deals, crm.Tickets} {
		if len(r.Associations[t]) == 0 {
			continue
		}
		b = append(append(append(b, '"'), t.String()...), `":{"results":[`...)
		for _, a := range r.Associations[t] {
			for _, at := range a.Types {
				b = append(strconv.AppendInt(append(b, `{"id":"`...), a.ToID, 10), `","type":"`...)
				b = append(append(b, at.Name...), `"},`...)
			}
		}
		b = closeList(b, ']')
		if list := r.Associations[t]; r.MoreAssociations[t] {
			after := id(list[len(list)-1].ToID)
			b = append(append(b, `,"paging":{"next":{"after":"`...), after...)
			b = jsontext.Append(append(b, `","link":`...), string(appendMore(nil, s.call.objects("v3"), s.call.t, id(r.ID), t, after)))
			b = append(b, '}', '}')
		}
		b = append(b, '}', ',')
	}
	return closeList(b, '}')
}

// appendMore appends the URL of the page of associations that follows one of a
// batch or of a record.
func appendMore(b []byte, objects string, from crm.Type, record string, to crm.Type, after string) []byte {
	return fmt.Appendf(b, "%s/%s/%s/associations/%s?after=%s", objects, from.ID(), record, to.ID(), after)
}
