package e2e

import (
	"bytes"
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"understudy/internal/platform/store/storetest/bare"
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
	var databases []string
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
			databases = append(databases, path)
		}
		return nil
	})
	if err != nil {
		s.Error(err)
	}
	for _, path := range databases {
		s.database("", path, strings.TrimPrefix(path, dir))
	}
}

// database looks through all tables of a SQLite file, or of the PostgreSQL database that url names.
func (s *scan) database(url, file, place string) {
	db, err := bare.Open(s.Context(), url, file)
	if err != nil {
		s.Fatal(err)
	}
	defer db.Close()
	if err := db.EachValue(s.Context(), func(at string, value []byte) { s.look(place+" "+at, value) }); err != nil {
		s.Errorf("%s: %v", place, err)
	}
}
