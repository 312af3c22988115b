package e2e

import (
	"bytes"
	"compress/gzip"
	"context"
	"database/sql"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/klauspost/compress/zstd"
	_ "modernc.org/sqlite"
)

// scan looks for secrets in what a program has stored.
type scan struct {
	*testing.T
	secrets map[string]string // with what they are
	found   map[string]bool
	values  int
}

// look reports the secrets in a value, decompressed where it is compressed.
func (s *scan) look(place string, b []byte) {
	s.values++
	s.plain(place, b)
	if z, err := gzip.NewReader(bytes.NewReader(b)); err == nil {
		text, _ := io.ReadAll(z)
		s.plain(place+", unpacked", text)
	}
	for at := 0; ; at += 4 {
		n := bytes.Index(b[at:], []byte{0x28, 0xb5, 0x2f, 0xfd})
		if n < 0 {
			return
		}
		at += n
		if z, err := zstd.NewReader(bytes.NewReader(b[at:]), zstd.WithDecoderConcurrency(1)); err == nil {
			text, _ := io.ReadAll(z)
			s.plain(place+", unpacked", text)
			z.Close()
		}
	}
}

func (s *scan) plain(place string, b []byte) {
	for secret, what := range s.secrets {
		if i := bytes.Index(b, []byte(secret)); i >= 0 && !s.found[place+what] {
			s.found[place+what] = true
			s.Errorf("%s holds %s: %q", place, what, b[max(0, i-80):min(len(b), i+len(secret)+10)])
		}
	}
}

// folder looks through the files of a data folder, and the columns of its databases.
func (s *scan) folder(dir string) {
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "credentials.json" || d.Name() == "secret.key" {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		place := strings.TrimPrefix(path, dir)
		s.plain(place, b)
		if bytes.HasPrefix(b, []byte("SQLite format 3\x00")) {
			s.sqlite(path, place)
		}
		return nil
	})
	if err != nil {
		s.Error(err)
	}
}

func (s *scan) sqlite(path, place string) {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	if err != nil {
		s.Fatal(err)
	}
	defer db.Close()
	tables, err := db.Query(`SELECT name FROM sqlite_master WHERE type = 'table'`)
	if err != nil {
		s.Errorf("%s: %v", place, err)
		return
	}
	var names []string
	for tables.Next() {
		var name string
		if err := tables.Scan(&name); err != nil {
			s.Fatal(err)
		}
		names = append(names, name)
	}
	for _, name := range names {
		rows, err := db.Query(fmt.Sprintf(`SELECT * FROM %q`, name))
		if err != nil {
			continue // a virtual table, whose own tables are read
		}
		columns, _ := rows.Columns()
		for rows.Next() {
			values, places := make([]any, len(columns)), make([]any, len(columns))
			for i := range values {
				places[i] = &values[i]
			}
			if err := rows.Scan(places...); err != nil {
				s.Error(err)
			}
			s.row(place+" "+name, columns, values)
		}
	}
}

func (s *scan) row(table string, columns []string, values []any) {
	for i, v := range values {
		switch v := v.(type) {
		case string:
			s.look(table+"."+columns[i], []byte(v))
		case []byte:
			s.look(table+"."+columns[i], v)
		}
	}
}

// postgres looks through all tables of a database.
func (s *scan) postgres(url string) {
	ctx := context.Background()
	db, err := pgx.Connect(ctx, url)
	if err != nil {
		s.Fatal(err)
	}
	defer db.Close(ctx)
	rows, err := db.Query(ctx, `SELECT schemaname || '.' || tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`)
	if err != nil {
		s.Fatal(err)
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		s.Fatal(err)
	}
	for _, name := range names {
		schema, table, _ := strings.Cut(name, ".")
		rows, err := db.Query(ctx, `SELECT * FROM `+pgx.Identifier{schema, table}.Sanitize())
		if err != nil {
			s.Fatal(err)
		}
		for rows.Next() {
			values, err := rows.Values()
			if err != nil {
				s.Fatal(err)
			}
			var columns []string
			for _, f := range rows.FieldDescriptions() {
				columns = append(columns, f.Name)
			}
			s.row(name, columns, values)
		}
		if rows.Err() != nil {
			s.Fatal(rows.Err())
		}
	}
}
