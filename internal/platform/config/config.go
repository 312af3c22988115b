// Package config holds and validates the options of "understudy serve".
package config

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strings"

	"understudy/internal/platform/ratelimit"
)

// Serve holds the options of the server; the tags are those of the command line.
type Serve struct {
	Listen          string `default:"127.0.0.1:4400" help:"Address (HOST:PORT) that serves all services."`
	Data            string `default:"./understudy-data" help:"Folder of the databases, the key and credentials.json."`
	Temporary       bool   `help:"Remove the data folder when the server stops, and stop it when standard input ends. For servers that a test suite starts."`
	Mode            string `default:"api" help:"api for the services alone, full to serve the web UI too."`
	Database        string `help:"postgres:// URL of a database. By default SQLite files in the data folder."`
	RateLimits      string `default:"real" help:"Rate limits of the services: real, off, or xN for N times the real allowance."`
	CRMSearchLimit  bool   `name:"crm-search-limit" help:"Also limit CRM searches to 5 a second for each portal, as the upstream does. Applies while --rate-limits is real."`
	LazyEvents      bool   `help:"Do not index or merge ingested events in the background: the first search indexes them."`
	Fixture         string `help:"Name of a bundled fixture (demo) to fill the default environment with on the first start."`
	MessagingListen string `help:"Additional address that serves messaging alone, without a path prefix."`
	CRMListen       string `name:"crm-listen" help:"Additional address that serves the CRM alone, without a path prefix."`
	TrackerListen   string `help:"Additional address that serves the tracker alone, without a path prefix."`
	IngestListen    string `help:"Additional address that serves ingestion alone, without a path prefix."`
	AdminListen     string `help:"Separate address for the admin plane. --listen then does not serve it."`
	MetricsListen   string `help:"Separate address for /metrics, which needs no key there."`
	PublicURL       string `name:"public-url" help:"URL under which clients reach --listen, such as https://understudy.example.com. By default the address itself."`
	TLSCert         string `name:"tls-cert" help:"Certificate file (PEM). The server reads it again when it changes. Requires --tls-key."`
	TLSKey          string `name:"tls-key" help:"Private key file (PEM) of the certificate. Requires --tls-cert."`
	Key             string `help:"Key from which secrets are derived, 64 hexadecimal digits, instead of --key-file. Set it as UNDERSTUDY_KEY: other users of the machine can read command lines."`
	KeyFile         string `help:"File of the key from which secrets are derived, 64 hexadecimal digits. By default the file key in the data folder."`
	LogLevel        string `default:"info" help:"Lowest level of log lines: debug, info, warn or error."`
	LogFormat       string `default:"text" help:"Format of log lines: text or json."`

	AllowedHosts []string `help:"Host headers to accept, separated by commas: a name, a name with a port, *.example.com or *. Loopback addresses also accept localhost."`
	CORSOrigins  []string `name:"cors-origins" help:"Origins of web pages that may read replies (CORS), separated by commas, such as https://app.example.com, or *."`

	Version string `kong:"-"` // the program's version, for the web UI
	Commit  string `kong:"-"`

	AllowPrivateWebhooks *bool `help:"Deliver webhooks to private and loopback addresses. By default only while every listener is on a loopback address."`
}

// Fixtures names the bundled fixtures.
var Fixtures = []string{"demo"}

// Check returns an error for the first invalid option.
func (s *Serve) Check() error {
	for _, l := range s.Listeners() {
		_, port, err := net.SplitHostPort(l.Address)
		if err == nil {
			_, err = net.LookupPort("tcp", port)
		}
		if err != nil {
			return fmt.Errorf("--%s must be HOST:PORT, not %q", l.Flag, l.Address)
		}
	}
	if err := s.checkNames(); err != nil {
		return err
	}
	if s.Mode != "api" && s.Mode != "full" {
		return fmt.Errorf("--mode must be api or full, not %q", s.Mode)
	}
	if s.Database != "" {
		if u, err := url.Parse(s.Database); err != nil || u.Scheme != "postgres" && u.Scheme != "postgresql" {
			return errors.New("--database must be a postgres:// URL")
		}
	}
	if _, err := ratelimit.ParseSetting(s.RateLimits); err != nil {
		return fmt.Errorf("--rate-limits: %w", err)
	}
	if s.Fixture != "" && !slices.Contains(Fixtures, s.Fixture) {
		return fmt.Errorf("--fixture must be one of %s, not %q", strings.Join(Fixtures, ", "), s.Fixture)
	}
	if (s.TLSCert == "") != (s.TLSKey == "") {
		return errors.New("--tls-cert and --tls-key need each other")
	}
	if s.Key != "" && s.KeyFile != "" {
		return errors.New("give --key or --key-file, not both")
	}
	if _, err := ParseKey(s.Key); err != nil && s.Key != "" {
		return fmt.Errorf("--key: %w", err)
	}
	if !slices.Contains([]string{"debug", "info", "warn", "error"}, s.LogLevel) {
		return fmt.Errorf("--log-level must be debug, info, warn or error, not %q", s.LogLevel)
	}
	if s.LogFormat != "text" && s.LogFormat != "json" {
		return fmt.Errorf("--log-format must be text or json, not %q", s.LogFormat)
	}
	return nil
}

// ParseKey parses the key from which secrets are derived: 64 hexadecimal digits.
// Its error does not contain the text.
func ParseKey(text string) ([]byte, error) {
	key, err := hex.DecodeString(strings.TrimSpace(text))
	if err != nil || len(key) != 32 {
		return nil, errors.New("a key has 64 hexadecimal digits")
	}
	return key, nil
}

// PrivateWebhooks reports whether deliveries may go to private addresses.
func (s *Serve) PrivateWebhooks() bool {
	if s.AllowPrivateWebhooks != nil {
		return *s.AllowPrivateWebhooks
	}
	return s.Loopback()
}

// Loopback reports whether every listener is on loopback, so that all clients are
// on this machine.
func (s *Serve) Loopback() bool {
	for _, l := range s.Listeners() {
		host, _, _ := net.SplitHostPort(l.Address)
		ip := net.ParseIP(host)
		if host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return false
		}
	}
	return true
}
