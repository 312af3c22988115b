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

// What an environment has in memory and users can see is kept when it is
// closed and taken up when it is opened, so that nobody sees it happen: the
// recorded requests, and what of its limits is spent. After a crash it begins
// with what was kept last.

// remember writes it down.
func (m *Manager) remember(ctx context.Context, env *Environment) error {
	requests := env.Recorder.Unkept()
	limits := env.limiter.Save()
	if len(requests) == 0 && len(limits) == 0 && !env.hadLimits {
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
	return env.World.Write(ctx, func(tx *store.Tx) error {
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

// recall takes it up. Requests themselves are read when someone asks for them.
func (m *Manager) recall(ctx context.Context, env *Environment) error {
	var spent []byte
	var last int64
	err := env.World.Read(ctx, func(tx *store.Tx) (err error) {
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
		env.hadLimits = len(limits) > 0
		env.limiter.Load(limits)
	}
	if last > 0 {
		env.Recorder.Resume(last, func() []record.Request { return env.readRequests(last) })
	}
	return nil
}

// readRequests reads those that were kept.
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
