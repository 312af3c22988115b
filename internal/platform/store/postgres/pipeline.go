package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"understudy/internal/platform/store"
)

// The savepoint of the running job.
const (
	savepoint = "SAVEPOINT job"
	release   = "RELEASE SAVEPOINT job"
	undo      = "ROLLBACK TO SAVEPOINT job; RELEASE SAVEPOINT job"
)

// pipeline runs the statements of the writes of one batch, in one transaction.
// Queued statements are sent in one message with the next statement that has an
// answer, or with COMMIT. It implements store.Conn and store.Later.
type pipeline struct {
	conn
	caller context.Context // of the running job: after it ends, no further statement of the job is sent
	later  []later
	shared *store.Shared

	savepoint bool // the next statement needs one before it
	saved     bool // a savepoint was sent
	changed   bool // the job may have changed something
	sent      bool // such a change was sent, or noted
	mine      int  // the index of the job's first queued statement

	apart bool // each statement is sent by itself
	ahead
}

// ahead returns the contexts of the waiting writes. It implements store.Ahead.
type ahead func() []context.Context

// Ahead implements store.Ahead.
func (a ahead) Ahead() []context.Context { return a() }

// later is a queued statement.
type later struct {
	sql, column string
	args        []any
	id          *int64 // receives the generated key of the column; nil for none
	by          store.Author
}

// before is called before each statement of a job. It returns an error if the
// job's caller has gone.
func (p *pipeline) before(sql string) error {
	p.changed = p.changed || mayChange(sql)
	if p.savepoint { // sent by itself: a message that cannot be sent whole is not sent at all
		p.savepoint = false
		if _, err := p.conn.conn.Exec(p.ctx, savepoint); err != nil {
			return err
		}
		p.saved = true
	}
	return p.caller.Err()
}

func mayChange(sql string) bool {
	_, changes := store.Changed(sql)
	return changes
}

// ExecLater implements store.Later. It does not check whether the caller has
// gone: a commit must not lack a statement.
func (p *pipeline) ExecLater(sql string, args []any) {
	_ = p.before(sql)
	p.later = append(p.later, later{sql: sql, args: arguments(args), by: p.notes.author()})
}

// InsertIDLater implements store.Later.
func (p *pipeline) InsertIDLater(id *int64, sql, column string, args []any) {
	_ = p.before(sql)
	p.later = append(p.later, later{sql: sql, column: column, args: arguments(args), id: id, by: p.notes.author()})
}

// send sends the queued statements, followed by next. It reads all replies except
// next's, which the caller reads before it closes the results.
func (p *pipeline) send(next func(*pgx.Batch)) (pgx.BatchResults, error) {
	waited := p.later
	p.sent = p.sent || len(waited) > p.mine
	p.later, p.mine = nil, 0
	b := &pgx.Batch{}
	messages := messagesOf(waited, p.apart)
	for _, m := range messages {
		b.Queue(m.sql, m.args...)
	}
	next(b)
	replies := p.conn.conn.SendBatch(p.ctx, b)
	changed := make([]int64, len(waited)) // rows by each statement
	for i := range changed {
		changed[i] = 1 // without a reply, rows may have changed nevertheless
	}
	for _, m := range messages {
		if err := m.read(replies, waited, changed); err != nil {
			_ = replies.Close()
			p.notes.addAll(waited, changed)
			return nil, lateError(m.sql, err)
		}
	}
	p.notes.addAll(waited, changed)
	return replies, nil
}

// messagesOf returns the messages for queued statements.
func messagesOf(waited []later, apart bool) []message {
	if len(waited) > 1 && !apart {
		return fold(waited)
	}
	out := make([]message, len(waited))
	for i := range waited {
		out[i] = waited[i].message(i)
	}
	return out
}

// addAll notes the changes of statements.
func (t *notes) addAll(waited []later, changed []int64) {
	if t == nil {
		return
	}
	for i, l := range waited {
		id := int64(0)
		if l.id != nil {
			id = *l.id
		}
		t.addFor(l.by, l.sql, l.args, changed[i], id)
	}
}

// read reads the reply to a message.
func (m *message) read(replies pgx.BatchResults, waited []later, changed []int64) error {
	if !m.ids {
		tag, err := replies.Exec()
		if err == nil && tag.RowsAffected() == 0 {
			for _, i := range m.later {
				changed[i] = 0
			}
		}
		return err
	}
	rows, err := replies.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	n := 0
	for ; rows.Next() && n < len(m.later); n++ {
		if err := rows.Scan(waited[m.later[n]].id); err != nil {
			return err
		}
	}
	rows.Close()
	if err := rows.Err(); err != nil {
		return err
	}
	if n < len(m.later) {
		return fmt.Errorf("%d ids for %d rows", n, len(m.later))
	}
	return nil
}

// lateError returns the error of a statement that was queued by ExecLater or
// InsertIDLater. It is never ErrTaken: the caller that could have handled it has
// continued.
func lateError(sql string, err error) error {
	var pe *pgconn.PgError
	if errors.As(err, &pe) && pe.Code == "23505" {
		return fmt.Errorf("%v in %.120q", err, sql)
	}
	return store.Wrap(sql, classify(err))
}

// flush sends the queued statements and reads the replies.
func (p *pipeline) flush() error {
	if len(p.later) == 0 {
		return nil
	}
	replies, err := p.send(func(*pgx.Batch) {})
	if err != nil {
		return err
	}
	return replies.Close()
}

func (p *pipeline) Exec(sql string, args []any) (int64, error) {
	if err := p.before(sql); err != nil {
		return 0, err
	}
	p.sent = true
	if len(args) == 0 { // possibly several statements, which a message cannot contain behind others
		if err := p.flush(); err != nil {
			return 0, err
		}
	}
	if len(p.later) == 0 {
		return p.conn.Exec(sql, args)
	}
	replies, err := p.send(func(b *pgx.Batch) { b.Queue(rebind(sql), arguments(args)...) })
	if err != nil {
		return 0, err
	}
	tag, err := replies.Exec()
	if err = errors.Join(err, replies.Close()); err == nil {
		p.notes.add(sql, args, tag.RowsAffected(), 0)
	}
	return tag.RowsAffected(), err
}

func (p *pipeline) Query(sql string, args []any) (store.Cursor, error) {
	if err := p.before(sql); err != nil {
		return nil, err
	}
	p.sent = p.sent || mayChange(sql)
	if len(p.later) == 0 {
		return p.conn.Query(sql, args)
	}
	replies, err := p.send(func(b *pgx.Batch) { b.Queue(rebind(sql), arguments(args)...) })
	if err != nil {
		return nil, err
	}
	rows, err := replies.Query()
	if err != nil {
		_ = replies.Close()
		return nil, err
	}
	p.notes.add(sql, args, 1, 0)
	return &reply{rows, replies}, nil
}

// reply is the reply to the last statement of a message.
type reply struct {
	pgx.Rows
	replies pgx.BatchResults
}

func (r *reply) Close() {
	r.Rows.Close()
	_ = r.replies.Close() // its error is that of the rows
}

func (p *pipeline) InsertID(sql, column string, args []any) (id int64, err error) {
	if err = p.before(sql); err == nil {
		p.InsertIDLater(&id, sql, column, args)
		err = p.flush()
	}
	return id, err
}

// maxLater bounds the queued statements while the rows of a Batch are added.
const maxLater = 2000

func (p *pipeline) Batch(sql string, rows [][]any) error {
	if err := p.before(sql); err != nil {
		return err
	}
	for _, args := range rows {
		p.later = append(p.later, later{sql: sql, args: arguments(args), by: p.notes.author()})
		if len(p.later) < maxLater {
			continue
		}
		if err := p.flush(); err != nil {
			return err
		}
	}
	return nil
}

func (p *pipeline) CopyFrom(table string, columns []string, rows [][]any) error {
	err := p.before("COPY")
	p.sent = true
	if err == nil {
		err = p.flush()
	}
	if err != nil {
		return err
	}
	return p.conn.CopyFrom(table, columns, rows)
}

// isAborted reports whether the server rejects further statements of the
// transaction.
func isAborted(c *pgx.Conn) bool { return c.IsClosed() || c.PgConn().TxStatus() != 'T' }

// Noted implements store.Noter. A rollback of the transaction removes what a job
// notes, like its statements.
func (p *pipeline) Noted() (store.Witness, *[]store.Change) {
	p.changed, p.sent = true, true
	return p.conn.Noted()
}

// begin begins a job.
func (p *pipeline) begin(ctx context.Context, savepoint bool) {
	p.caller, p.savepoint, p.saved, p.changed, p.sent, p.mine = ctx, savepoint, false, false, false, len(p.later)
	if p.notes != nil {
		p.notes.by = p.notes.witness.Author(ctx)
	}
}

// end reads all replies to a job's statements, and thus their errors, and
// releases its savepoint.
func (p *pipeline) end() error {
	if p.saved {
		p.later = append(p.later, later{sql: release, by: p.notes.author()})
	}
	if err := p.flush(); err != nil {
		return err
	}
	if isAborted(p.conn.conn) {
		return rolledBack(p.conn.conn)
	}
	return nil
}

// undo rolls back a job with a savepoint.
func (p *pipeline) undo() error {
	p.later = nil // of this job: those of others were sent when they ended
	if !p.saved {
		return nil
	}
	_, err := p.conn.conn.Exec(p.ctx, undo)
	return err
}

var errRolledBack = errors.New("the database rolled the transaction back")

// rolledBack returns the error of a write whose transaction the server rolled
// back: Unavailable if the connection has ended.
func rolledBack(c *pgx.Conn) error {
	if c.IsClosed() {
		return store.Unavailable.Because(errRolledBack)
	}
	return errRolledBack
}

// commit sends COMMIT after the queued statements. It reports whether the
// transaction certainly had no effect.
func (p *pipeline) commit() (undone bool, err error) {
	if wire := wireOf(p.conn.conn); wire != nil {
		// After COMMIT is sent, only its reply shows the outcome.
		wire.committing.Store(true)
		defer wire.committing.Store(false)
	}
	var tag pgconn.CommandTag
	if len(p.later) == 0 {
		tag, err = p.conn.conn.Exec(p.ctx, "COMMIT")
	} else {
		var replies pgx.BatchResults
		if replies, err = p.send(func(b *pgx.Batch) { b.Queue("COMMIT") }); err == nil {
			tag, err = replies.Exec()
			err = errors.Join(err, replies.Close())
		}
	}
	switch {
	case tag.String() == "COMMIT": // committed, even if the connection has failed since
		if err != nil {
			_ = p.conn.conn.Close(p.ctx)
		}
		return false, nil
	case err == nil:
		return true, errRolledBack
	}
	err = store.Wrap("COMMIT", classify(err))
	// A server that ends the connection may have committed before.
	if p.conn.conn.IsClosed() {
		return false, err
	}
	var pe *pgconn.PgError
	return errors.As(err, &pe) || p.conn.conn.PgConn().TxStatus() != 'I', err
}
