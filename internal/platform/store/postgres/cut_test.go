package postgres_test

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync/atomic"
	"testing"

	"understudy/internal/platform/store"
	"understudy/internal/platform/store/postgres"
	"understudy/internal/platform/store/storetest"
)

// ending is what a client sees of a connection that ends when the server has committed.
type ending int

const (
	noReply    ending = iota // nothing: the reply to COMMIT is lost
	replyAlone               // the reply to COMMIT, and no further byte
	replyFatal               // the reply to COMMIT, then that the server ends the connection
)

// way is a way to a server. When it is armed, it ends the next connection on which
// the server has executed a statement with a tag: COMMIT, where none is named.
type way struct {
	url   string
	armed atomic.Bool
	end   ending
	tag   string
}

// wayTo listens for connections to the server that address names.
func wayTo(t *testing.T, address string, end ending) *way {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	w, server := &way{end: end, tag: "COMMIT"}, u.Host
	u.Host = l.Addr().String()
	w.url = u.String()
	go func() {
		for {
			client, err := l.Accept()
			if err != nil {
				return
			}
			go w.serve(client, server)
		}
	}()
	return w
}

func (w *way) serve(client net.Conn, server string) {
	defer func() { _ = client.Close() }()
	s, err := net.Dial("tcp", server)
	if err != nil {
		return
	}
	defer func() { _ = s.Close() }()
	go func() {
		_, _ = io.Copy(s, client)
		_ = s.Close()
	}()
	in, out := bufio.NewReader(s), bufio.NewWriter(client)
	for {
		head := make([]byte, 5)
		if _, err := io.ReadFull(in, head); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
		if _, err := io.ReadFull(in, body); err != nil {
			return
		}
		committed := head[0] == 'C' && string(body) == w.tag+"\x00" && w.armed.CompareAndSwap(true, false)
		if committed && w.end == noReply {
			return
		}
		_, _ = out.Write(append(head, body...))
		if committed && w.end == replyFatal {
			_, _ = out.Write(fatal())
		}
		if committed || in.Buffered() == 0 {
			if out.Flush() != nil || committed {
				return
			}
		}
	}
}

// fatal is what a server sends that ends a connection by an administrator's command.
func fatal() []byte {
	body := "SFATAL\x00VFATAL\x00C57P01\x00Mterminating connection due to administrator command\x00\x00"
	return append(binary.BigEndian.AppendUint32([]byte{'E'}, uint32(len(body)+4)), body...)
}

// What the server has committed is there once, whatever becomes of the connection
// then, and is no error where the reply to COMMIT came.
func TestWhatIsCommittedDoesNotRunAgain(t *testing.T) {
	t.Parallel()
	for _, end := range []ending{noReply, replyAlone, replyFatal} {
		for _, later := range []bool{true, false} {
			for _, n := range []int{1, 30} {
				t.Run(fmt.Sprint(end, later, n), func(t *testing.T) {
					t.Parallel()
					committedOnce(t, end, later, n)
				})
			}
		}
	}
}

// committedOnce runs n writes together, whose statements wait where later is true.
func committedOnce(t *testing.T, end ending, later bool, n int) {
	through := wayTo(t, storetest.DatabaseURL(t), end)
	s, err := postgres.Open(t.Context(), through.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	w, err := s.Open(t.Context(), "first", things)
	if err != nil {
		t.Fatal(err)
	}
	var called atomic.Int64
	writes, ids := make([]func(*store.Tx) error, n), make([]map[string]*int64, n)
	for i := range writes {
		ids[i] = map[string]*int64{}
		writes[i] = func(tx *store.Tx) error {
			through.armed.Store(true)
			tx.AfterCommit(func() { called.Add(1) })
			return errors.Join(
				do(`INSERT INTO part (id, name, note, ok, size, kind) VALUES (?, 'x', NULL, TRUE, 1, 1) ON CONFLICT (id) DO UPDATE SET kind = part.kind + 1`, i)(tx, later, nil),
				do(`UPDATE tally SET n = n + 1, last = ? WHERE owner = ? AND place = ?`, "x", "a", 1)(tx, later, nil),
				func() error {
					ids[i]["id"] = new(int64)
					if later {
						return tx.InsertIDLater(ids[i]["id"], "seq", `INSERT INTO entry (text) VALUES (?)`, fmt.Sprint(i))
					}
					var err error
					*ids[i]["id"], err = tx.InsertID("seq", `INSERT INTO entry (text) VALUES (?)`, fmt.Sprint(i))
					return err
				}())
		}
	}
	errs := together(w, writes...)
	for i, err := range errs {
		if known := end != noReply; known && err != nil || !known && !errors.Is(err, store.Unavailable) {
			t.Errorf("write %d of %d: %v", i, n, err)
		}
	}
	if want := int64(n); end != noReply && called.Load() != want || end == noReply && called.Load() != 0 {
		t.Errorf("%d functions ran after the commit", called.Load())
	}
	var parts, tally, entries, again int
	if err := w.Read(context.Background(), func(tx *store.Tx) error {
		_, err := tx.Get(`SELECT (SELECT COUNT(*) FROM part), (SELECT n FROM tally WHERE owner = 'a' AND place = 1), (SELECT COUNT(*) FROM entry),
			(SELECT COUNT(*) FROM part WHERE kind > 1)`, nil, &parts, &tally, &entries, &again)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if parts != n || tally != n || entries != n || again != 0 {
		t.Errorf("%d parts, %d of them again, %d in the tally, %d entries; want %d each", parts, again, tally, entries, n)
	}
	if err := w.Write(context.Background(), func(tx *store.Tx) error { return tx.ExecLater(`DELETE FROM part`) }); err != nil {
		t.Errorf("after it: %v", err)
	}
}

// A connection that ends behind the answer to a question, where no statement that
// follows asks another one, refuses the write for the moment.
func TestAConnectionEndsBehindAnAnswer(t *testing.T) {
	t.Parallel()
	through := wayTo(t, storetest.DatabaseURL(t), replyFatal)
	through.tag = "SELECT 1"
	s, err := postgres.Open(t.Context(), through.url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	w, err := s.Open(t.Context(), "first", things)
	if err != nil {
		t.Fatal(err)
	}
	err = w.Write(context.Background(), func(tx *store.Tx) error {
		if err := do(`INSERT INTO word (word) VALUES (?)`, "before")(tx, true, nil); err != nil {
			return err
		}
		through.armed.Store(true)
		if found, err := tx.Get("SELECT n FROM tally WHERE owner = 'a' AND place = 1", nil, new(int64)); err != nil || !found {
			t.Errorf("the answer: %v, %v", found, err)
		}
		return do(`INSERT INTO word (word) VALUES (?)`, "behind")(tx, true, nil)
	})
	if !errors.Is(err, store.Unavailable) {
		t.Errorf("the write: %v", err)
	}
	if left := dump(t, w); len(left) != 3 {
		t.Errorf("it left %q", left)
	}
}

// A connection that ends while a batch runs costs one write, though the statements
// of the others wait to be sent with it; one that ends in COMMIT costs all of them,
// and leaves nothing.
func TestWritesThatWaitOutliveAConnection(t *testing.T) {
	t.Parallel()
	const n = 30
	write := func(i int) func(*store.Tx) error {
		return func(tx *store.Tx) error {
			return errors.Join(tx.ExecLater(`INSERT INTO part (id, name, note, ok, size, kind) VALUES (?, 'x', NULL, TRUE, 1, 1)`, i),
				tx.ExecLater(`UPDATE tally SET n = n + 1 WHERE owner = ? AND place = ?`, "a", 1))
		}
	}
	holds := func(t *testing.T, w *store.World, want int) {
		t.Helper()
		var parts, tally int
		if err := w.Read(context.Background(), func(tx *store.Tx) error {
			_, err := tx.Get(`SELECT COUNT(*), (SELECT n FROM tally WHERE owner = 'a' AND place = 1) FROM part`, nil, &parts, &tally)
			return err
		}); err != nil {
			t.Fatal(err)
		}
		if parts != want || tally != want {
			t.Errorf("%d parts, %d in the tally; want %d", parts, tally, want)
		}
	}
	t.Run("while it runs", func(t *testing.T) {
		t.Parallel()
		w, writes := storetest.Postgres(t, things), make([]func(*store.Tx) error, n)
		for i := range writes {
			writes[i] = write(i)
		}
		writes[n/2] = func(tx *store.Tx) error {
			_, err := tx.Exec("SELECT pg_terminate_backend(pg_backend_pid())")
			return errors.Join(write(n/2)(tx), err)
		}
		for i, err := range together(w, writes...) {
			if lost := i == n/2; lost != errors.Is(err, store.Unavailable) || !lost && err != nil {
				t.Errorf("write %d: %v", i, err)
			}
		}
		holds(t, w, n-1)
	})
	t.Run("in COMMIT", func(t *testing.T) {
		t.Parallel()
		w, writes := storetest.Postgres(t, things), make([]func(*store.Tx) error, n)
		if err := w.Write(context.Background(), func(tx *store.Tx) error {
			for _, text := range []string{
				"CREATE FUNCTION leave() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_terminate_backend(pg_backend_pid()); PERFORM pg_sleep(1); RETURN NULL; END $$",
				"CREATE CONSTRAINT TRIGGER leave AFTER INSERT ON part DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION leave()",
			} {
				if _, err := tx.Exec(text); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		for i := range writes {
			writes[i] = write(i)
		}
		for i, err := range together(w, writes...) {
			if !errors.Is(err, store.Unavailable) {
				t.Errorf("write %d: %v", i, err)
			}
		}
		holds(t, w, 0)
	})
}
