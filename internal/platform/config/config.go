// Package config holds the options of "understudy serve" and says which do not fit.
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

// Serve are the options of the server; the tags are the command line's.
type Serve struct {
	Listen          string `default:"127.0.0.1:4400" help:"Address of all services."`
	Data            string `default:"./understudy-data" help:"Folder of the data and of credentials.json."`
	Temporary       bool   `help:"Remove the data folder at the end, and end when standard input does: for a server that a test suite starts."`
	Mode            string `default:"api" help:"api, or full to add the web UI."`
	Database        string `help:"A postgres:// URL; left out: SQLite files in the data folder."`
	RateLimits      string `default:"real" help:"real, off, or xN for N times the real allowance."`
	CRMSearchLimit  bool   `name:"crm-search-limit" help:"Limit searches of the CRM to 5 a second for each portal, as upstream does, while rate limits are real."`
	LazyEvents      bool   `help:"Leave ingested events as they were written: the first search indexes them, and small blocks are not merged."`
	Fixture         string `help:"Fill the default environment from a bundled fixture on first start (demo)."`
	MessagingListen string `help:"A further address that serves messaging at its root."`
	CRMListen       string `name:"crm-listen" help:"A further address that serves the CRM at its root."`
	TrackerListen   string `help:"A further address that serves the tracker at its root."`
	IngestListen    string `help:"A further address that serves ingestion at its root."`
	AdminListen     string `help:"An address of its own for the admin plane, which the common one does not serve then."`
	MetricsListen   string `help:"An address of its own for /metrics, without a key."`
	PublicURL       string `name:"public-url" help:"URL by which clients reach the common address, such as https://understudy.example.com; left out: the address itself."`
	TLSCert         string `name:"tls-cert" help:"Certificate file (PEM), read again when it changes; needs --tls-key."`
	TLSKey          string `name:"tls-key" help:"Private key file (PEM)."`
	Key             string `help:"The key itself, 64 hexadecimal digits, in place of a file. Give it as UNDERSTUDY_KEY: others see command lines."`
	KeyFile         string `help:"File of the key from which secrets derive, 64 hexadecimal digits; left out: the file key in the data folder."`
	LogLevel        string `default:"info" help:"debug, info, warn or error."`
	LogFormat       string `default:"text" help:"text or json."`

	AllowedHosts []string `help:"Names in the Host header that are answered, beside localhost on loopback, separated by commas: a name, a name with a port, *.example.com or *."`
	CORSOrigins  []string `name:"cors-origins" help:"Origins of pages that may read replies, separated by commas, such as https://app.example.com, or *."`

	Version string `kong:"-"` // of the program, for the web UI
	Commit  string `kong:"-"`

	AllowPrivateWebhooks *bool `help:"Deliver to private and loopback addresses; the default is yes while every address is on loopback."`
}

// Fixtures names the bundled fixtures.
var Fixtures = []string{"demo"}

// Check returns an error for the first option that is not valid.
func (s *Serve) Check() error {
	for _, l := range s.Listeners() {
		if _, _, err := net.SplitHostPort(l.Address); err != nil {
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
		return errors.New("--tls-cert and --tls-key go together")
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

// ParseKey reads the key from which secrets derive: 64 hexadecimal digits. Its
// error does not repeat the text.
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

// Loopback reports whether every listener is on loopback, so that all clients
// are on this machine.
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
