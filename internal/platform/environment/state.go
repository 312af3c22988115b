package environment

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/gob"

	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/record"
	"understudy/internal/platform/store"
)

// An environment keeps two things in memory that users can see: the recorded
// requests, and how much of its limits is spent. They are stored when it is
// closed and loaded when it is opened, so that closing an idle environment
// changes nothing for its users. After a crash it begins with what was stored last.

// saveState stores them.
func (e *Environment) saveState(ctx context.Context) error {
	requests := e.Recorder.Unkept()
	limits := e.limiter.Save()
	if len(requests) == 0 && len(limits) == 0 && !e.hadLimits {
		return nil
	}
	var packed, spent []byte
	var err error
	if len(requests) > 0 {
		if packed, err = pack(requests); err != nil {
			return err
		}
	}
	if spent, err = pack(limits); err != nil {
		return err
	}
	return e.World.Write(ctx, func(tx *store.Tx) error {
		if err := setState(tx, stateLimits, spent); err != nil || len(requests) == 0 {
			return err
		}
		last := requests[len(requests)-1].Seq
		if err := insertRequests(tx, last, len(requests), record.Size(requests), packed); err != nil {
			return err
		}
		return trimRequests(tx, record.MaxRequests, record.MaxBytes)
	})
}

// loadState loads the limits. Stored requests are read when someone asks for them.
func (e *Environment) loadState(ctx context.Context) error {
	var spent []byte
	var last int64
	err := e.World.Read(ctx, func(tx *store.Tx) (err error) {
		if spent, err = getState(tx, stateLimits); err == nil {
			last, err = lastRequest(tx)
		}
		return err
	})
	if err != nil {
		return err
	}
	if len(spent) > 0 {
		var limits []ratelimit.Saved
		if err := unpack(spent, &limits); err != nil {
			return err
		}
		e.hadLimits = len(limits) > 0
		e.limiter.Load(limits)
	}
	if last > 0 {
		e.Recorder.Resume(last, func() []record.Request { return e.readRequests(last) })
	}
	return nil
}

// EraseRecordings removes the recorded requests for which named holds, from
// memory and from the disk.
func (e *Environment) EraseRecordings(ctx context.Context, named func(*record.Request) bool) error {
	left, stored := e.Recorder.Erase(named)
	if !stored {
		return nil
	}
	packed, err := pack(left)
	if err != nil {
		return err
	}
	last := int64(0)
	if len(left) > 0 {
		last = left[len(left)-1].Seq
	}
	err = e.World.Write(ctx, func(tx *store.Tx) error {
		if err := eraseRequests(tx); err != nil || len(left) == 0 {
			return err
		}
		return insertRequests(tx, last, len(left), record.Size(left), packed)
	})
	if err != nil {
		return err
	}
	e.Recorder.Replaced(last)
	return e.World.Compact(ctx, true)
}

// readRequests reads the stored requests up to a sequence number.
func (e *Environment) readRequests(upTo int64) (out []record.Request) {
	var packed [][]byte
	err := e.World.Read(context.Background(), func(tx *store.Tx) (err error) {
		packed, err = listRequests(tx, upTo)
		return err
	})
	for _, b := range packed {
		var some []record.Request
		if err == nil {
			err = unpack(b, &some)
		}
		out = append(out, some...)
	}
	if err != nil {
		e.Log.Error("recorded requests were not read", "error", err)
	}
	return out
}

func pack(v any) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := gob.NewEncoder(z).Encode(v); err != nil {
		return nil, err
	}
	err = z.Close()
	return b.Bytes(), err
}

func unpack(b []byte, v any) error {
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return err
	}
	return gob.NewDecoder(z).Decode(v)
}
