package edge

import (
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"os"
	"sync/atomic"
	"time"
)

// certificateTime is how often the files of a certificate are checked for
// changes.
const certificateTime = 2 * time.Second

// Certificate is a certificate with its key, in two files that may change while
// the program runs.
type Certificate struct {
	cert, key string
	log       *slog.Logger
	current   atomic.Pointer[tls.Certificate]
	seen      [2]stamp // of the files at the last read, valid or not
}

// stamp changes when a file does.
type stamp struct {
	size    int64
	changed time.Time
}

// LoadCertificate reads a certificate and its key.
func LoadCertificate(cert, key string, log *slog.Logger) (*Certificate, error) {
	c := &Certificate{cert: cert, key: key, log: log}
	c.seen = c.stamps()
	return c, c.read()
}

// Config returns the settings of a TLS server, which uses the current certificate
// for each handshake.
func (c *Certificate) Config() *tls.Config {
	return &tls.Config{MinVersion: tls.VersionTLS12,
		GetCertificate: func(*tls.ClientHelloInfo) (*tls.Certificate, error) { return c.current.Load(), nil }}
}

// Watch reads the files again when they change and when reload receives, until
// ctx ends. It keeps the current certificate while the files are invalid.
func (c *Certificate) Watch(ctx context.Context, reload <-chan os.Signal) {
	tick := time.NewTicker(certificateTime)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-reload:
		case <-tick.C:
			if c.stamps() == c.seen {
				continue
			}
		}
		c.seen = c.stamps()
		if err := c.read(); err != nil {
			c.log.Error("the changed TLS certificate could not be read; the server goes on with the previous one", "error", err)
			continue
		}
		c.log.Info("the changed TLS certificate is in use", "file", c.cert)
	}
}

func (c *Certificate) read() error {
	pair, err := tls.LoadX509KeyPair(c.cert, c.key)
	if err != nil {
		return fmt.Errorf("cannot use the TLS certificate: %w", err)
	}
	c.current.Store(&pair)
	return nil
}

func (c *Certificate) stamps() (out [2]stamp) {
	for i, path := range []string{c.cert, c.key} {
		if info, err := os.Stat(path); err == nil {
			out[i] = stamp{info.Size(), info.ModTime()}
		}
	}
	return out
}
