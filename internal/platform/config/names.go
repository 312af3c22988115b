package config

import (
	"fmt"
	"net/url"
	"strings"
)

// Listener is an address to listen on, with its flag.
type Listener struct{ Flag, Address string }

// Listeners returns all addresses, the common one first.
func (s *Serve) Listeners() []Listener {
	out := []Listener{{"listen", s.Listen}}
	for _, l := range []Listener{{"messaging-listen", s.MessagingListen}, {"crm-listen", s.CRMListen}, {"tracker-listen", s.TrackerListen},
		{"ingest-listen", s.IngestListen}, {"admin-listen", s.AdminListen}, {"metrics-listen", s.MetricsListen}} {
		if l.Address != "" {
			out = append(out, l)
		}
	}
	return out
}

// checkNames returns an error for the first invalid name of a host or origin.
func (s *Serve) checkNames() error {
	for _, host := range s.AllowedHosts {
		name := strings.TrimPrefix(host, "*.")
		if u, err := url.Parse("http://" + name); host != "*" && (err != nil || name == "" || u.Host != name || strings.Contains(name, "*")) {
			return fmt.Errorf("--allowed-hosts takes names such as example.com, example.com:4400, *.example.com or *, not %q", host)
		}
	}
	for _, origin := range s.CORSOrigins {
		if !isOrigin(origin) && origin != "*" {
			return fmt.Errorf("--cors-origins takes origins such as https://app.example.com, or *, not %q", origin)
		}
	}
	if u, err := url.Parse(s.PublicURL); s.PublicURL != "" && (err != nil || !isOrigin(u.Scheme+"://"+u.Host) || u.RawQuery != "" || u.Fragment != "" || u.User != nil) {
		return fmt.Errorf("--public-url must be an http or https URL such as https://understudy.example.com, not %q", s.PublicURL)
	}
	return nil
}

func isOrigin(text string) bool {
	u, err := url.Parse(text)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" && text == u.Scheme+"://"+u.Host
}
