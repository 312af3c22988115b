package app

import (
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// metrics are the metrics at /metrics.
type metrics struct {
	requests *prometheus.CounterVec
	duration *prometheus.HistogramVec
	damaged  prometheus.Counter
	rebuilt  prometheus.Counter
	handler  http.Handler
}

func newMetrics() *metrics {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "understudy_requests_total", Help: "Requests answered."}, []string{"service", "status"}),
		duration: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "understudy_request_duration_seconds", Help: "Time to answer a request.",
			Buckets: []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 10}}, []string{"service"}),
	}
	m.damaged = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "understudy_event_blocks_damaged_total", Help: "Blocks of ingested events found damaged since the start, and left out of replies."})
	m.rebuilt = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "understudy_event_indexes_rebuilt_total", Help: "Sums and parts of indexes of ingested events found damaged since the start, and built anew from the events."})
	r := prometheus.NewRegistry()
	r.MustRegister(m.requests, m.duration, m.damaged, m.rebuilt, collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	m.handler = promhttp.HandlerFor(r, promhttp.HandlerOpts{})
	return m
}

func (m *metrics) observe(service string, status int, took time.Duration) {
	m.requests.WithLabelValues(service, strconv.Itoa(status)).Inc()
	m.duration.WithLabelValues(service).Observe(took.Seconds())
}
