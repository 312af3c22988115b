package e2e

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"understudy/test/server"
)

func TestMain(m *testing.M) { server.Main(m) }

// isRefused reports whether a request found the port closed, or its
// idle connection was closed before the request was read.
func isRefused(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, io.EOF) ||
		err != nil && strings.Contains(err.Error(), "server closed idle connection") // net/http has no value for it
}

// run runs the binary to its end, which must come by itself.
func run(t *testing.T, env []string, args ...string) (int, string, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	status, stdout, stderr, err := server.Run(ctx, env, args...)
	if err != nil {
		t.Fatalf("%q: %v\n%s%s", args, err, stdout, stderr)
	}
	return status, stdout, stderr
}

// oneLine wants exactly one line on standard error, for people.
func oneLine(t *testing.T, stderr string) {
	t.Helper()
	if strings.Count(stderr, "\n") != 1 || !strings.HasSuffix(stderr, "\n") || strings.Contains(stderr, "goroutine") {
		t.Errorf("standard error is not one line: %q", stderr)
	}
}

// outputWith returns what the server wrote, once that contains text; the pipe may lag behind the first answer.
func outputWith(s *server.Server, text string) string {
	for began := time.Now(); time.Since(began) < time.Minute && !strings.Contains(s.Output(), text); {
		time.Sleep(5 * time.Millisecond)
	}
	return s.Output()
}

func TestBadFlagsExitWithTwo(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{
		{"serve", "--nonsense"},
		{"serve", "--mode", "sideways"},
		{"serve", "--rate-limits", "sometimes"},
		{"serve", "--rate-limits", "x0"},
		{"serve", "--listen", "nowhere"},
		{"serve", "--listen", "127.0.0.1:99999"},
		{"serve", "--ingest-listen", "127.0.0.1:-1"},
		{"serve", "--messaging-listen", "4401"},
		{"serve", "--database", "mysql://localhost/x"},
		{"serve", "--tls-cert", "only.pem"},
		{"serve", "--log-level", "loud"},
		{"serve", "--log-format", "xml"},
		{"serve", "--fixture", "nonsense"},
		{"serve", "--admin-listen", "4401"},
		{"serve", "--metrics-listen", "nowhere"},
		{"serve", "--allowed-hosts", "http://example.com"},
		{"serve", "--allowed-hosts", "a.*.example"},
		{"serve", "--cors-origins", "app.example"},
		{"serve", "--cors-origins", "https://app.example/path"},
		{"serve", "--public-url", "understudy.example"},
		{"serve", "--public-url", "https://understudy.example/?a=b"},
		{"serve", "--allow-private-webhooks=perhaps"},
		{"serve", "extra"},
		{"nonsense"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			if args[0] == "serve" {
				args = append(args, "--data", t.TempDir())
			}
			status, _, stderr := run(t, nil, args...)
			if status != 2 {
				t.Errorf("exit status %d, want 2", status)
			}
			oneLine(t, stderr)
		})
	}
	t.Run("a bad variable", func(t *testing.T) {
		status, _, stderr := run(t, []string{"UNDERSTUDY_RATE_LIMITS=sometimes"}, "serve", "--data", t.TempDir())
		if status != 2 {
			t.Errorf("exit status %d, want 2", status)
		}
		oneLine(t, stderr)
	})
}

func TestWhatKeepsItFromStartingExitsWithOne(t *testing.T) {
	t.Parallel()
	fails := func(t *testing.T, args ...string) string {
		t.Helper()
		status, _, stderr := run(t, nil, append([]string{"serve"}, args...)...)
		if status != 1 {
			t.Errorf("exit status %d, want 1", status)
		}
		oneLine(t, stderr)
		return stderr
	}
	free := func(t *testing.T) string {
		t.Helper()
		addr, err := server.FreeAddress()
		if err != nil {
			t.Fatal(err)
		}
		return addr
	}
	t.Run("port taken", func(t *testing.T) {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		if stderr := fails(t, "--listen", l.Addr().String(), "--data", t.TempDir()); !strings.Contains(stderr, l.Addr().String()) {
			t.Errorf("the line does not name the address: %q", stderr)
		}
	})
	t.Run("folder below a file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		fails(t, "--listen", free(t), "--data", filepath.Join(file, "data"))
	})
	t.Run("folder not writable", func(t *testing.T) {
		fails(t, "--listen", free(t), "--data", "/proc/understudy-data") // nobody may write there, root neither
	})
	t.Run("folder in use", func(t *testing.T) {
		s, _ := server.New(t)
		fails(t, "--listen", free(t), "--data", s.Dir)
	})
	t.Run("no such certificate", func(t *testing.T) {
		fails(t, "--listen", free(t), "--data", t.TempDir(), "--tls-cert", "/nonexistent.pem", "--tls-key", "/nonexistent.pem")
	})
	t.Run("no such database", func(t *testing.T) {
		fails(t, "--listen", free(t), "--data", t.TempDir(), "--database", "postgres://127.0.0.1:1/none?connect_timeout=2")
	})
}

func TestVersion(t *testing.T) {
	t.Parallel()
	status, stdout, stderr := run(t, nil, "version")
	if status != 0 || !strings.Contains(stdout, "go1.") || stderr != "" {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

func TestFirstStartTellsWhereEverythingIs(t *testing.T) {
	t.Parallel()
	s, c := server.New(t)
	path := filepath.Join(s.Dir, "credentials.json")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("credentials.json has mode %o, want 600", info.Mode().Perm())
	}
	if c.Environment != "default" || c.Messaging.BaseURL != s.URL+"/messaging" || c.Admin.BaseURL != s.URL+"/admin/v1" {
		t.Errorf("credentials: %+v", c)
	}
	out := outputWith(s, "curl ")
	for _, want := range []string{c.Messaging.BaseURL, "credentials.json", "curl "} {
		if !strings.Contains(out, want) {
			t.Errorf("the first output does not hold %q:\n%s", want, out)
		}
	}
	for _, secret := range []string{c.Messaging.BotToken, c.Messaging.UserToken, c.Messaging.AdminPassword, c.Messaging.SigningSecret, c.Admin.Key} {
		if secret == "" || strings.Contains(out, secret) {
			t.Errorf("the output holds a secret, or the secret is empty: %q", secret)
		}
		err := filepath.WalkDir(s.Dir, func(p string, d os.DirEntry, err error) error {
			if err != nil || d.IsDir() || p == path {
				return err
			}
			b, err := os.ReadFile(p)
			if err == nil && strings.Contains(string(b), secret) && secret != "" && secret != c.Messaging.SigningSecret {
				t.Errorf("%s holds a token, password or key in plain text", filepath.Base(p))
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if status, body := get(t, client, s.URL+"/healthz"); status != http.StatusOK {
		t.Errorf("/healthz: %d %s", status, body)
	}
	if status, body := get(t, client, s.URL+"/metrics"); status != http.StatusOK || !strings.Contains(body, "# TYPE ") {
		t.Errorf("/metrics: %d %.200s", status, body)
	}
}

func TestTokensSurviveARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first, err := server.Start(server.Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	before, err := first.Credentials()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Stop(); err != nil {
		t.Fatal(err)
	}
	_, after := server.Open(t, server.Options{Dir: dir})
	if before.Messaging.BotToken != after.Messaging.BotToken || before.Admin.Key != after.Admin.Key {
		t.Error("a restart made other credentials")
	}
	if err := call(client, after.Messaging.BaseURL, before.Messaging.BotToken, "auth.test", nil, nil); err != nil {
		t.Error(err)
	}
}

// Whether the pages were built or not, full mode says where they are or how to make them.
func TestFullModeSaysWhereTheWebUIIs(t *testing.T) {
	t.Parallel()
	s, _ := server.New(t, "--mode", "full")
	if !strings.Contains(outputWith(s, "web UI"), "web UI") {
		t.Errorf("nothing about the web UI:\n%s", s.Output())
	}
}
