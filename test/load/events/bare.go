package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"understudy/test/load/together"
)

// bareWork is what the yardstick does for a post.
type bareWork struct {
	File   string // that it flushes
	Logged int64  // bytes written and flushed, as many as the program's log gets for a post
	Reply  int    // bytes of a reply
	Event  sample // sent for a post below /fast
}

// sample is a request that a receiver got.
type sample struct {
	URL    string
	Header http.Header
	Body   []byte
}

// bare is the yardstick, a process of its own: a server that does for a post only
// what no server can leave out. It writes and flushes as many bytes as the
// program's log gets, callers that arrive together share a flush, and it answers
// as many bytes. Afterwards it sends the same event, with net/http's client, one
// at a time for each channel.
type bare struct {
	addr string
	cmd  *exec.Cmd
}

func startBare(w bareWork) (*bare, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	work, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	b := &bare{cmd: exec.Command(self, "-bare")}
	b.cmd.Stdin, b.cmd.Stderr = bytes.NewReader(work), os.Stderr
	out, err := b.cmd.StdoutPipe()
	if err == nil {
		err = b.cmd.Start()
	}
	if err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		b.stop()
		return nil, err
	}
	b.addr = strings.TrimSpace(line)
	return b, nil
}

func (b *bare) stop() {
	_ = b.cmd.Process.Kill()
	_ = b.cmd.Wait()
}

// serveBare is the yardstick's process.
func serveBare() error {
	var w bareWork
	if err := json.NewDecoder(os.Stdin).Decode(&w); err != nil {
		return err
	}
	log, err := newLog(w.File)
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	const head, tail = `{"ok":true,"filler":"`, `"}`
	reply := []byte(head + strings.Repeat("x", max(0, w.Reply-len(head)-len(tail))) + tail)
	var lanes sync.Map // channel → queue of its events
	return http.Serve(l, http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		_, err := io.Copy(io.Discard, r.Body)
		if err == nil {
			err = log.append(w.Logged)
		}
		if err != nil {
			http.Error(rw, err.Error(), http.StatusInternalServerError)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/fast") {
			lane, known := lanes.LoadOrStore(r.URL.Path, make(chan bool, 1<<16))
			if !known {
				go sendEvents(w.Event, lane.(chan bool))
			}
			lane.(chan bool) <- true
		}
		rw.Header().Set("Content-Type", "application/json; charset=utf-8")
		rw.Header().Set("Content-Length", strconv.Itoa(len(reply)))
		_, _ = rw.Write(reply)
	}))
}

// sendEvents sends an event for each value of a lane.
func sendEvents(event sample, lane chan bool) {
	for range lane {
		req, err := http.NewRequest(http.MethodPost, event.URL, bytes.NewReader(event.Body))
		if err != nil {
			panic(err) // the address was one before
		}
		req.Header = event.Header.Clone()
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			fmt.Fprintln(os.Stderr, "events: the bare server:", err)
			continue
		}
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
	}
}

// syncedLog is a file of constant size that is written from its beginning again
// when its end is reached, as a database's log is: overwriting needs fewer
// writes of the file system than appending.
type syncedLog struct {
	file  *os.File
	bytes []byte
	at    int64

	flushes together.Group
}

const logSize = 4 << 20

func newLog(name string) (*syncedLog, error) {
	if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
		return nil, err
	}
	f, err := os.Create(name)
	if err != nil {
		return nil, err
	}
	l := &syncedLog{file: f, bytes: bytes.Repeat([]byte("x"), logSize)}
	if _, err := f.Write(l.bytes); err != nil {
		return nil, err
	}
	return l, f.Sync()
}

// append writes n bytes and returns when they are on disk.
func (l *syncedLog) append(n int64) error {
	return l.flushes.Do(func(callers int) error {
		size := min(int64(callers)*n, logSize)
		if l.at+size > logSize {
			l.at = 0
		}
		_, err := l.file.WriteAt(l.bytes[:size], l.at)
		if err == nil {
			err = l.file.Sync()
		}
		l.at += size
		return err
	})
}
