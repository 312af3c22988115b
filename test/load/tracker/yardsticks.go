package main

import (
	"bufio"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

// yardstick is a server that ours is compared with, in a process of its own.
type yardstick struct {
	addr string
	cmd  *exec.Cmd
}

// run starts a server that prints its address, or its port, when it is ready.
func run(cmd *exec.Cmd) (*yardstick, error) {
	cmd.Stderr = os.Stderr
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
	addr := strings.TrimSpace(line)
	if !strings.Contains(addr, ":") {
		addr = "127.0.0.1:" + addr
	}
	return &yardstick{addr, cmd}, nil
}

func (y *yardstick) stop() {
	_ = y.cmd.Process.Kill()
	_ = y.cmd.Wait()
}

// startPeer starts graphql-js on data in memory.
func startPeer(s settings, data string) (*yardstick, error) {
	cmd := exec.Command("node", filepath.Join(s.peer, "server.mjs"), s.schema, data)
	cmd.Env = append(os.Environ(), "NODE_ENV=production")
	return run(cmd)
}

// startBare starts the bare server on a folder of replies.
func startBare(replies string) (*yardstick, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	return run(exec.Command(self, "-yardstick", replies))
}

// serveBare is net/http and nothing else: each path answers the file of that name.
func serveBare(replies string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	files, err := os.ReadDir(replies)
	if err != nil {
		return err
	}
	bodies := map[string][]byte{}
	for _, f := range files {
		if bodies["/"+f.Name()], err = os.ReadFile(filepath.Join(replies, f.Name())); err != nil {
			return err
		}
	}
	fmt.Println(l.Addr())
	return http.Serve(l, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := bodies[r.URL.Path]
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body)
	}))
}
