package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// serveReference is the yardstick: net/http and nothing else, answering a
// fixed body whose size the path names, /400 for 400 bytes. It runs in a
// process of its own, as the server under test does.
func serveReference() error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	bodies := map[string][]byte{}
	for _, size := range strings.Fields(os.Getenv("REFERENCE_SIZES")) {
		n, err := strconv.Atoi(size)
		if err != nil {
			return err
		}
		bodies["/"+size] = fixedBody(n)
	}
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer(w, bodies[r.URL.Path])
	}))
}

func answer(w http.ResponseWriter, body []byte) {
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	_, _ = w.Write(body)
}

// fixedBody returns a JSON reply of n bytes.
func fixedBody(n int) []byte {
	const head, tail = `{"ok":true,"filler":"`, `"}`
	return []byte(head + strings.Repeat("x", max(0, n-len(head)-len(tail))) + tail)
}

// reference is the running yardstick.
type reference struct {
	addr string
	cmd  *exec.Cmd
}

func startReference(sizes ...int) (*reference, error) {
	return startSelf("-reference", "REFERENCE_SIZES="+string(bytes.Trim(fmt.Append(nil, sizes), "[]")), nil)
}

// startSelf starts this program with a flag that makes it a yardstick, which prints
// its address when it is ready.
func startSelf(role, env string, input []byte) (*reference, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(self, role)
	cmd.Env = append(os.Environ(), env)
	cmd.Stdin, cmd.Stderr = bytes.NewReader(input), os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return nil, errors.Join(err, cmd.Wait())
	}
	return &reference{addr: strings.TrimSpace(line), cmd: cmd}, nil
}

func (r *reference) stop() {
	_ = r.cmd.Process.Kill()
	_ = r.cmd.Wait()
}
