package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/httpkit"
)

// shutdownTime is how long requests in flight may take once the program is to end.
const shutdownTime = 10 * time.Second

// server is one address.
type server struct {
	listener net.Listener
	http     *http.Server
}

// listen binds the common address and those of single services.
func (a *App) listen() error {
	var tlsConfig *tls.Config
	if a.o.TLSCert != "" {
		cert, err := tls.LoadX509KeyPair(a.o.TLSCert, a.o.TLSKey)
		if err != nil {
			return fmt.Errorf("cannot use the TLS certificate: %w", err)
		}
		tlsConfig = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12}
	}
	add := func(addr string, h http.Handler) error {
		if addr == "" {
			return nil
		}
		l, err := net.Listen("tcp", addr)
		if err != nil {
			return fmt.Errorf("cannot listen on %s: %w", addr, err)
		}
		if tlsConfig != nil {
			l = tls.NewListener(l, tlsConfig)
		} else {
			l = httpkit.OneWrite(l)
		}
		a.servers = append(a.servers, &server{listener: l, http: &http.Server{
			Handler: h, ReadHeaderTimeout: 20 * time.Second, IdleTimeout: 3 * time.Minute, MaxHeaderBytes: 64 << 10,
			ConnContext: httpkit.WithConn,
			ErrorLog:    slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
		}})
		return nil
	}
	return errors.Join(
		add(a.o.Listen, a),
		add(a.o.MessagingListen, a.alone("messaging")),
		add(a.o.CRMListen, a.alone("crm")),
		add(a.o.TrackerListen, a.alone("tracker")),
		add(a.o.IngestListen, a.alone("ingest")),
	)
}

// alone serves one service of the default environment at the root of an address.
func (a *App) alone(service string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.serveDefault(w, r, service, "") })
}

// origin is scheme and host of the common address, as clients on this machine reach it.
func (a *App) origin() string {
	addr := a.servers[0].listener.Addr().(*net.TCPAddr)
	host, _, _ := net.SplitHostPort(a.o.Listen)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme := "http"
	if a.o.TLSCert != "" {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(host, fmt.Sprint(addr.Port))
}

// Run serves until ctx ends, then finishes what is in flight and closes everything.
func (a *App) Run(ctx context.Context) error {
	defer a.close()
	failed := make(chan error, len(a.servers))
	for _, s := range a.servers {
		go func() {
			if err := s.http.Serve(s.listener); !errors.Is(err, http.ErrServerClosed) {
				failed <- err
			}
		}()
	}
	go a.sweep(ctx)
	go giveBack()
	go returnMemory(ctx)
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	a.draining.Store(true)
	a.envs.EndStreams()
	for _, s := range a.servers {
		if e := s.http.Shutdown(stop); e != nil {
			a.log.Warn("requests were cut off", "error", e)
			_ = s.http.Close()
		}
	}
	return err
}

// suspendEvery is how often the databases of unused environments are suspended;
// every sweepEvery-th time all else is done.
const (
	suspendEvery = 250 * time.Millisecond
	sweepEvery   = 4
)

// sweep deletes environments that have expired, closes those that nobody uses
// and opens those that have something to deliver, until ctx ends.
func (a *App) sweep(ctx context.Context) {
	complain := func(what string, err error) {
		if err != nil && ctx.Err() == nil {
			a.log.Error(what, "error", err)
		}
	}
	sweep := lifecycle.Sweeper{Environments: a.envs}
	complain("environments with pending deliveries were not opened", sweep.OpenUnfinished(ctx))
	tick := time.NewTicker(suspendEvery)
	defer tick.Stop()
	for n := 1; ; n++ {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			sweep.Suspend()
			if n%sweepEvery != 0 {
				continue
			}
			complain("expired environments were not deleted", sweep.Expire(ctx))
			sweep.CloseIdle(ctx)
			complain("environments with due deliveries were not opened", sweep.OpenDue(ctx))
		}
	}
}
