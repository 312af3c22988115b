package main

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"understudy/internal/platform/store/storetest/bare"
	"understudy/test/load/together"
)

// The rows that a post must leave in a database, and how the page names them.
const storedRows = "the message, which its channel's index finds by its time, and the event"

// storedTables are their tables, each with its key, which the database generates.
var storedTables = []struct{ name, key string }{{"msg_message", "id"}, {"outbox_event", "seq"}}

// storing is what a yardstick stores: for each post a copy of the rows that one post
// left in the program's database.
type storing struct {
	File    string   // its database
	Reply   int      // bytes of a reply
	Tables  []string // statements that make the tables, with the program's own indexes
	Inserts []string // one for each row; the parameter is the time
}

// startStoring starts a bare server that stores the rows of a post, with the tables
// and settings that the program has: it does nothing else for a post. reply is the size of
// the program's reply to the post that left the newest rows.
func startStoring(dir string, sub *subject, reply int) (*reference, error) {
	ctx := context.Background()
	work := storing{File: filepath.Join(dir, "storing.db"), Reply: reply}
	db, err := bare.Open(ctx, "", filepath.Join(sub.Dir, "worlds", "env_default.db"))
	if err != nil {
		return nil, err
	}
	defer db.Close()
	for _, t := range storedTables {
		made, err := texts(ctx, db, "SELECT sql FROM sqlite_master WHERE tbl_name = ? AND sql IS NOT NULL ORDER BY rowid", t.name)
		if err != nil {
			return nil, err
		}
		work.Tables = append(work.Tables, made...)
		columns, err := texts(ctx, db, "SELECT name FROM pragma_table_info(?)", t.name)
		if err != nil {
			return nil, err
		}
		values := slices.Clone(columns)
		for i, column := range columns {
			switch column {
			case t.key:
				values[i] = "'NULL'"
			case "ts", "at":
				values[i] = "'?1'"
			default:
				values[i] = "quote(" + column + ")"
			}
		}
		row, err := texts(ctx, db, "SELECT concat_ws(', ', "+strings.Join(values, ", ")+") FROM "+t.name+" ORDER BY "+t.key+" DESC LIMIT 1")
		if err != nil {
			return nil, err
		}
		if len(row) == 0 {
			return nil, errors.New(t.name + " has no row")
		}
		work.Inserts = append(work.Inserts, "INSERT INTO "+t.name+" ("+strings.Join(columns, ", ")+") VALUES ("+row[0]+")")
	}
	input, err := json.Marshal(work)
	if err != nil {
		return nil, err
	}
	return startSelf("-storing", "", input)
}

// texts returns the rows of a query, which have one text each.
func texts(ctx context.Context, db *bare.DB, query string, args ...any) (out []string, err error) {
	s, err := db.Prepare(ctx, query)
	if err != nil {
		return nil, err
	}
	defer func() { _ = s.Close() }()
	rows, err := s.QueryContext(ctx, args...)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rows.Close() }()
	for rows.Next() {
		var text string
		if err := rows.Scan(&text); err != nil {
			return nil, err
		}
		out = append(out, text)
	}
	return out, rows.Err()
}

// storingSettings are those of the program: pages in the cache, and in the log before
// a checkpoint. bare.Open has made commits durable.
const storingSettings = "PRAGMA cache_size = 4096; PRAGMA wal_autocheckpoint = 8000"

// serveStoring is the yardstick's process: net/http, and posts that arrive together
// in one durable transaction.
func serveStoring() error {
	runtime.GOMAXPROCS(runtime.NumCPU() + 1) // as the program does, see decision 0172
	ctx := context.Background()
	var work storing
	if err := json.NewDecoder(os.Stdin).Decode(&work); err != nil {
		return err
	}
	db, err := bare.Open(ctx, "", work.File)
	if err != nil {
		return err
	}
	defer db.Close()
	err = db.Exec(ctx, storingSettings)
	prepare := func(text string) *sql.Stmt {
		s, failed := db.Prepare(ctx, text)
		err = errors.Join(err, failed)
		return s
	}
	run := func(s *sql.Stmt, args ...any) {
		if err == nil {
			_, err = s.ExecContext(ctx, args...)
		}
	}
	for _, text := range work.Tables {
		run(prepare(text))
	}
	begin, commit := prepare("BEGIN IMMEDIATE"), prepare("COMMIT")
	var inserts []*sql.Stmt
	for _, text := range work.Inserts {
		inserts = append(inserts, prepare(text))
	}
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	var posts together.Group
	at, reply := time.Now().UnixMicro(), fixedBody(work.Reply)
	store := func(callers int) error { // after an error it goes on failing
		run(begin)
		for range callers {
			at++
			for _, s := range inserts {
				run(s, at)
			}
		}
		run(commit)
		return err
	}
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := posts.Do(store); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		answer(w, reply)
	}))
}
