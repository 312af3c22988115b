package environment

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/gob"
	"strconv"
	"sync"

	"understudy/internal/platform/ratelimit"
	"understudy/internal/platform/record"
	"understudy/internal/platform/store"
)

// An environment has three kinds of visible state in memory: recorded requests,
// used limits, and the journal of causes (journal.go). They are stored when it is
// closed and loaded when it is opened, so that closing an idle environment is not
// noticeable. After a crash they are as stored last.

// saveState stores them.
func (e *Environment) saveState(ctx context.Context) error {
	requests, last := e.Recorder.Unkept(), e.Recorder.Last()
	lost, _ := e.Recorder.Lost()
	limits := e.limiter.Save()
	journal, block, noted := e.Journal.Save()
	if last == e.firstRequest && lost == e.lostRequest && len(requests) == 0 && len(limits) == 0 && !e.hadLimits && !noted {
		return nil
	}
	packed, spent := []byte(nil), []byte{} // most limits are unused
	var err error
	if len(requests) > 0 {
		if packed, err = pack(requests); err != nil {
			return err
		}
	}
	if len(limits) > 0 {
		if spent, err = pack(limits); err != nil {
			return err
		}
	}
	tooMany := false
	err = e.World.Write(ctx, func(tx *store.Tx) error {
		if noted {
			if err := saveJournal(tx, e, journal, block); err != nil {
				return err
			}
		}
		if err := setState(tx, stateLimits, spent); err != nil {
			return err
		}
		if err := setState(tx, stateLostRequest, strconv.AppendInt(nil, lost, 10)); err != nil {
			return err
		}
		if err := setState(tx, stateLastRequest, strconv.AppendInt(nil, last, 10)); err != nil || len(requests) == 0 {
			return err
		}
		if err := insertRequests(tx, requests[len(requests)-1].Seq, len(requests), record.Size(requests), packed); err != nil {
			return err
		}
		count, size, err := sumRequests(tx)
		bounds := e.Recorder.Bounds()
		tooMany = count > 2*bounds.Lines || size > 2*(bounds.Bytes+bounds.Lines*storedLine)
		return err
	})
	if err != nil || !tooMany {
		return err
	}
	return e.replaceRequests(ctx, e.Recorder.All())
}

// storedLine is the approximate stored size of a recorded request without bodies.
const storedLine = 300

// replaceRequests replaces the stored requests by a list.
func (e *Environment) replaceRequests(ctx context.Context, list []record.Request) error {
	packed, err := pack(list)
	if err != nil {
		return err
	}
	lost, _ := e.Recorder.Lost()
	return e.World.Write(ctx, func(tx *store.Tx) error {
		if err := setState(tx, stateLostRequest, strconv.AppendInt(nil, lost, 10)); err != nil {
			return err
		}
		if err := eraseRequests(tx); err != nil || len(list) == 0 {
			return err
		}
		return insertRequests(tx, list[len(list)-1].Seq, len(list), record.Size(list), packed)
	})
}

// loadState loads the limits, and continues the numbering of requests. Stored
// requests are read on demand. After a crash some requests were not stored.
// states is the result of getStates, nil if it was not called.
func (e *Environment) loadState(ctx context.Context, crashed bool, states map[string][]byte) error {
	var stored, caused int64
	err := e.World.Read(ctx, func(tx *store.Tx) (err error) {
		if states == nil {
			if states, err = getStates(tx); err != nil {
				return err
			}
		}
		if stored, err = lastRequest(tx); err == nil {
			caused, err = e.Outbox.LastCause(tx) // after a crash, events may have later ones
		}
		return err
	})
	if err != nil {
		return err
	}
	if spent := states[stateLimits]; len(spent) > 0 {
		var limits []ratelimit.Saved
		if err := unpack(spent, &limits); err != nil {
			return err
		}
		e.hadLimits = len(limits) > 0
		e.limiter.Load(limits)
	}
	last, _ := strconv.ParseInt(string(states[stateLastRequest]), 10, 64)
	e.firstRequest = max(last, stored, caused)
	var older func() []record.Request
	if stored > 0 {
		older = func() []record.Request { return e.readRequests(stored) }
	}
	e.lostRequest, _ = strconv.ParseInt(string(states[stateLostRequest]), 10, 64)
	missing := e.lostRequest
	if crashed {
		missing = max(e.firstRequest, 1)
	}
	e.Recorder.Resume(e.firstRequest, missing, older)
	return nil
}

// EraseRecordings removes the recorded requests for which named returns true,
// from memory and from the disk.
func (e *Environment) EraseRecordings(ctx context.Context, named func(*record.Request) bool) error {
	left, stored := e.Recorder.Erase(named)
	if !stored {
		return nil
	}
	if err := e.replaceRequests(ctx, left); err != nil {
		return err
	}
	e.Recorder.Replaced()
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
		e.Log.Error("recorded requests could not be read", "error", err)
	}
	return out
}

func pack(v any) ([]byte, error) {
	var b bytes.Buffer
	z := packers.Get().(*gzip.Writer)
	defer packers.Put(z)
	z.Reset(&b)
	if err := gob.NewEncoder(z).Encode(v); err != nil {
		return nil, err
	}
	err := z.Close()
	return b.Bytes(), err
}

// packers pools the compressors of pack, each of which uses a megabyte: each new
// environment packs some bytes.
var packers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(nil, gzip.BestSpeed) // fails only for an invalid level
	return z
}}

func unpack(b []byte, v any) error {
	z := unpackers.Get().(*gzip.Reader)
	defer unpackers.Put(z)
	if err := z.Reset(bytes.NewReader(b)); err != nil {
		return err
	}
	return gob.NewDecoder(z).Decode(v)
}

var unpackers = sync.Pool{New: func() any { return new(gzip.Reader) }}
