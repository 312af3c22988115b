package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"understudy/internal/platform/config"
	"understudy/internal/platform/edge"
	"understudy/internal/platform/environment/lifecycle"
	"understudy/internal/platform/httpkit"
	"understudy/internal/platform/memory"
)

// shutdownTime is how long requests in flight may take when the program ends.
const shutdownTime = 10 * time.Second

// server is one listener with its server.
type server struct {
	flag     string // the flag of its address
	listener net.Listener
	http     *http.Server
}

// listen binds the common address and those of single services.
func (a *App) listen() error {
	if a.o.TLSCert != "" {
		var err error
		if a.certificate, err = edge.LoadCertificate(a.o.TLSCert, a.o.TLSKey, a.log); err != nil {
			return err
		}
	}
	handlers := map[string]http.Handler{"listen": a, "admin-listen": http.HandlerFunc(a.serveAdmin), "metrics-listen": http.HandlerFunc(a.serveMetricsAlone),
		"messaging-listen": a.alone("messaging"), "crm-listen": a.alone("crm"), "tracker-listen": a.alone("tracker"), "ingest-listen": a.alone("ingest")}
	for _, l := range a.o.Listeners() {
		if err := a.bind(l, handlers[l.Flag]); err != nil {
			return err
		}
	}
	return nil
}

// bind opens a listener for a handler.
func (a *App) bind(at config.Listener, h http.Handler) error {
	l, err := net.Listen("tcp", at.Address)
	if err != nil {
		return fmt.Errorf("cannot listen on %s: %w", at.Address, err)
	}
	gate := &edge.Edge{Next: h, Stray: a.serveStray, Origins: a.o.CORSOrigins,
		Hosts: edge.Hosts{Loopback: l.Addr().(*net.TCPAddr).IP.IsLoopback(), Allowed: a.o.AllowedHosts}}
	if public, err := url.Parse(a.o.PublicURL); err == nil && a.o.PublicURL != "" {
		if at.Flag == "listen" {
			gate.PublicURL = strings.TrimSuffix(a.o.PublicURL, "/")
		}
		if gate.Hosts.Loopback { // a proxy on this machine may forward it
			gate.Hosts.Allowed = append(slices.Clone(gate.Hosts.Allowed), public.Host, public.Hostname())
		}
	}
	on := l
	if a.certificate != nil {
		l = tls.NewListener(l, a.certificate.Config())
	} else {
		l = httpkit.OneWrite(l)
	}
	a.servers = append(a.servers, &server{flag: at.Flag, listener: a.conns.Listen(l, on), http: &http.Server{
		Handler: gate, ReadHeaderTimeout: 20 * time.Second, IdleTimeout: 3 * time.Minute, MaxHeaderBytes: 64 << 10,
		ConnContext: edge.WithConn, ConnState: edge.State,
		ErrorLog: slog.NewLogLogger(a.log.Handler(), slog.LevelDebug),
	}})
	return nil
}

// serveStray replies to a request that is addressed to another host.
func (a *App) serveStray(w http.ResponseWriter, r *http.Request) {
	httpkit.WriteJSON(w, http.StatusMisdirectedRequest, map[string]any{"error": map[string]string{"code": "host_not_allowed",
		"message": fmt.Sprintf("This server does not answer to the host %.100q: use localhost, or start it with --allowed-hosts.", r.Host)}})
}

// alone serves one service of the default environment at the root of an address.
func (a *App) alone(service string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { a.serveDefault(w, r, service, "") })
}

// origin returns the URL of the common address, as clients reach it.
func (a *App) origin() string {
	if a.o.PublicURL != "" {
		return strings.TrimSuffix(a.o.PublicURL, "/")
	}
	return a.originOf(a.servers[0], a.o.Listen)
}

// adminOrigin returns the URL of the address of the admin plane.
func (a *App) adminOrigin() string {
	for _, s := range a.servers {
		if s.flag == "admin-listen" {
			return a.originOf(s, a.o.AdminListen)
		}
	}
	return a.origin()
}

// originOf returns the URL of an address, as clients on this machine reach it.
func (a *App) originOf(s *server, listen string) string {
	addr := s.listener.Addr().(*net.TCPAddr)
	host, _, _ := net.SplitHostPort(listen)
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	scheme := "http"
	if a.o.TLSCert != "" {
		scheme = "https"
	}
	return scheme + "://" + net.JoinHostPort(host, fmt.Sprint(addr.Port))
}

// endClients ends waits for slow clients in requests to an environment that will
// be replaced or removed.
func (a *App) endClients(ctx context.Context, env string) {
	a.conns.Drain(ctx, env, edge.DrainLimits{Stall: 100 * time.Millisecond, Total: 500 * time.Millisecond})
}

// Run serves until ctx ends, then completes requests in flight and closes
// everything.
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
	go a.conns.Watch(ctx)
	if a.certificate != nil {
		reload := make(chan os.Signal, 1)
		signal.Notify(reload, syscall.SIGHUP)
		defer signal.Stop(reload)
		go a.certificate.Watch(ctx, reload)
	}
	go memory.ReleaseStartup()
	go memory.ReturnUnused(ctx)
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	}
	stop, cancel := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer cancel()
	a.draining.Store(true)
	a.envs.EndStreams()
	a.console.EndStreams()
	go a.conns.Drain(stop, "", edge.DrainLimits{Stall: time.Second, Total: 3 * time.Second})
	for _, s := range a.servers {
		if e := s.http.Shutdown(stop); e != nil {
			a.log.Warn("requests that did not end in time were cut off", "error", e)
			_ = s.http.Close()
		}
	}
	return err
}

// suspendEvery is how often the databases of unused environments are suspended;
// every sweepEvery-th time the rest of sweep runs too.
const (
	suspendEvery = 250 * time.Millisecond
	sweepEvery   = 4
)

// sweep deletes expired environments, closes unused ones and opens those with due
// deliveries, until ctx ends.
func (a *App) sweep(ctx context.Context) {
	complain := func(what string, err error) {
		if err != nil && ctx.Err() == nil {
			a.log.Error(what, "error", err)
		}
	}
	sweep := lifecycle.Sweeper{Environments: a.envs}
	complain("environments with pending deliveries could not be opened", sweep.OpenUnfinished(ctx))
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
			complain("expired environments could not be deleted", sweep.Expire(ctx))
			sweep.CloseIdle(ctx)
			complain("environments with due deliveries could not be opened", sweep.OpenDue(ctx))
		}
	}
}
