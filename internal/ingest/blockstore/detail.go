package blockstore

import (
	"encoding/binary"

	"github.com/klauspost/compress/zstd"

	"understudy/internal/ingest"
	"understudy/internal/platform/ids"
)

// The encodings of an id in a block.
const (
	idNone = iota
	idUUID
	idText
	idLocal // a parent in the same block, by its row
)

// encodeIdents encodes ids, parents and times of receipt.
func encodeIdents(events []ingest.Event) []byte {
	places := make(map[string]int, len(events))
	b := make([]byte, 0, len(events)*24)
	for i := range events {
		places[events[i].ID] = i
		b = appendID(b, events[i].ID)
	}
	for i := range events {
		p := events[i].Parent
		if at, ok := places[p]; ok {
			b = append(b, idLocal)
			b = binary.AppendUvarint(b, uint64(at))
			continue
		}
		b = appendID(b, p)
	}
	last := int64(0)
	for i := range events {
		b = binary.AppendVarint(b, events[i].Received-last)
		last = events[i].Received
	}
	return b
}

func appendID(b []byte, id string) []byte {
	if id == "" {
		return append(b, idNone)
	}
	if raw, ok := ids.ParseUUID(id); ok {
		b = append(b, idUUID)
		return append(b, raw[:]...)
	}
	return appendText(append(b, idText), id)
}

func (r *reader) id(shared []string) string {
	switch r.Byte() {
	case idNone:
		return ""
	case idUUID:
		raw := r.Bytes(16)
		if r.Bad {
			return ""
		}
		return ids.FormatUUID([16]byte(raw))
	case idText:
		return r.text()
	case idLocal:
		if at := r.Length(); at < len(shared) {
			return shared[at]
		}
	}
	r.Bad = true
	return ""
}

// skipID skips an id.
func (r *reader) skipID() {
	switch r.Byte() {
	case idNone:
	case idUUID:
		r.Bytes(16)
	case idText:
		r.Bytes(r.Length())
	case idLocal:
		r.Length()
	default:
		r.Bad = true
	}
}

// decodeIDs decodes only the ids. It also returns a reader positioned after them.
func decodeIDs(idents []byte, n int) ([]string, *reader, error) {
	r := readerOf(idents)
	ids := make([]string, n)
	for i := range ids {
		ids[i] = r.id(nil)
	}
	if r.Bad {
		return nil, nil, errBlock
	}
	return ids, &r, nil
}

var (
	encoder, _ = zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(2), zstd.WithWindowSize(256<<10))
	decoder, _ = zstd.NewReader(nil, zstd.WithDecoderConcurrency(2), zstd.WithDecoderMaxMemory(1<<30))
)

// encodePayload encodes the payloads, compressed together.
func encodePayload(events []ingest.Event) []byte {
	size := 0
	for i := range events {
		e := &events[i]
		size += len(e.Args) + len(e.Result) + len(e.Metadata) + len(e.Checkpoints) + 12
	}
	b := make([]byte, 0, size)
	for i := range events {
		e := &events[i]
		for _, s := range [...]string{e.Args, e.Result, e.Metadata, e.Checkpoints} {
			b = appendText(b, s)
		}
	}
	return encoder.EncodeAll(b, make([]byte, 0, len(b)/3))
}

// payloadBytes returns the length of decompressed payloads, 0 when the header
// does not contain it.
func payloadBytes(payload []byte) int {
	var h zstd.Header
	if h.Decode(payload) != nil || !h.HasFCS || h.FrameContentSize > 1<<30 {
		return 0
	}
	return int(h.FrameContentSize)
}

// payloadReader returns a reader of payloads, an empty one for nil.
func payloadReader(payload []byte) (p reader, err error) {
	if payload != nil {
		p.B, err = decoder.DecodeAll(payload, nil)
	}
	return p, err
}

// eventOf returns the fields of an event that are in columns.
func eventOf(c *ingest.Columns, i int) ingest.Event {
	return ingest.Event{Session: c.Session.At(i), Name: c.Name.At(i), Type: c.Type.At(i), Model: c.Model.At(i), Customer: c.Customer.At(i), User: c.User.At(i),
		Time: c.Time[i], Untimed: c.Flags[i]&ingest.FlagUntimed != 0, Success: c.Flags[i]&ingest.FlagSuccess != 0, Covered: c.Flags[i]&ingest.FlagCovered != 0,
		Latency: c.Latency[i], InputTokens: c.InputTokens[i], OutputTokens: c.OutputTokens[i]}
}

// decodeRows is decodeEvents for some rows of a block, in ascending order; for
// all if rows is nil. A page often shows one event of a block of a thousand.
func decodeRows(c *ingest.Columns, idents, payload []byte, rows []int) ([]ingest.Event, error) {
	if rows == nil {
		return decodeEvents(c, idents, payload)
	}
	p, err := payloadReader(payload)
	if err != nil {
		return nil, err
	}
	r := readerOf(idents)
	begins := make([]int, 2*c.N) // of ids, then of parents
	for i := range begins {
		begins[i] = len(idents) - len(r.B)
		r.skipID()
	}
	if r.Bad {
		return nil, errBlock
	}
	id := func(i int) (id string, ok bool) {
		at := readerOf(idents[begins[i]:])
		id = at.id(nil)
		return id, !at.Bad
	}
	events := make([]ingest.Event, len(rows))
	received, text, next := int64(0), 0, 0
	for i := range c.N {
		received += r.Varint()
		if next == len(rows) || rows[next] != i {
			continue
		}
		e := &events[next]
		next++
		*e = eventOf(c, i)
		e.Received = received
		var known, above bool
		e.ID, known = id(i)
		if place := begins[c.N+i]; idents[place] == idLocal {
			at := readerOf(idents[place+1:])
			row := at.Length()
			if at.Bad || row >= c.N {
				return nil, errBlock
			}
			e.Parent, above = id(row)
		} else {
			e.Parent, above = id(c.N + i)
		}
		if !known || !above {
			return nil, errBlock
		}
		if payload != nil {
			for ; text < 4*i; text++ {
				p.Bytes(p.Length())
			}
			e.Args, e.Result, e.Metadata, e.Checkpoints = p.text(), p.text(), p.text(), p.text()
			text += 4
		}
	}
	if r.Bad || p.Bad || next < len(rows) {
		return nil, errBlock
	}
	return events, nil
}

// decodeEvents returns the events of a block, without payloads if payload is nil.
// The texts of the events share memory with the bytes of the block.
func decodeEvents(c *ingest.Columns, idents, payload []byte) ([]ingest.Event, error) {
	ids, r, err := decodeIDs(idents, c.N)
	if err != nil {
		return nil, err
	}
	p, err := payloadReader(payload)
	if err != nil {
		return nil, err
	}
	events := make([]ingest.Event, c.N)
	for i := range events {
		events[i] = eventOf(c, i)
		events[i].ID, events[i].Parent = ids[i], r.id(ids)
		if payload != nil {
			e := &events[i]
			e.Args, e.Result, e.Metadata, e.Checkpoints = p.text(), p.text(), p.text(), p.text()
		}
	}
	last := int64(0)
	for i := range events {
		last += r.Varint()
		events[i].Received = last
	}
	if r.Bad || p.Bad {
		return nil, errBlock
	}
	return events, nil
}
