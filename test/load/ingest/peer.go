package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// measureDuckDB has DuckDB keep the events that the programs were sent, and
// answer the same questions. It runs within one process, without HTTP.
func measureDuckDB(s settings, r *report) error {
	dir, err := os.MkdirTemp(s.dir, "duckdb-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }()
	step := step(s.events)
	err = writeLines(filepath.Join(dir, "events.ndjson"), s.events, func(b []byte, n int) []byte { return appendEvent(b, n, "", first+int64(n)*step) })
	if err == nil {
		err = writeLines(filepath.Join(dir, "users.ndjson"), userCount/5, func(b []byte, i int) []byte {
			id, plan := user(i)
			return fmt.Appendf(b, `{"user_id":"%s","plan":"%s"}`, id, plan)
		})
	}
	if err != nil {
		return err
	}
	cmd := exec.Command("node", filepath.Join(s.peer, "duckdb.mjs"), dir)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		return err
	}
	var got struct {
		Version   string             `json:"version"`
		Events    int                `json:"events"`
		BatchRate float64            `json:"batch_rate"`
		BulkRate  float64            `json:"bulk_rate"`
		Bytes     int64              `json:"bytes"`
		Times     map[string]float64 `json:"times"`
	}
	if err := json.Unmarshal(text, &got); err != nil {
		return err
	}
	if got.Events != s.events {
		return fmt.Errorf("it holds %d events", got.Events)
	}
	c := r.column("DuckDB " + got.Version)
	c.line(fmt.Sprintf("events a second in batches of %d, %d connections, durable", batchRows, s.connections), "", true, "%.0f (one connection)", got.BatchRate)
	c.line("events a second in one statement, from a file", "", true, "%.0f", got.BulkRate)
	c.line("bytes on disk for each event", "", true, "%.0f", float64(got.Bytes)/float64(got.Events))
	for _, q := range questions() {
		if took, ok := got.Times[q.duckdb]; ok {
			c.time(q.what, 0, time.Duration(took*float64(time.Millisecond)))
		}
	}
	return nil
}

func writeLines(file string, n int, line func(b []byte, i int) []byte) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, 1<<20)
	var b []byte
	for i := range n {
		b = append(line(b[:0], i), '\n')
		if _, err := w.Write(b); err != nil {
			return err
		}
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
