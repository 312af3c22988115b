package app

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"understudy/internal/messaging"
	"understudy/internal/platform/config"
	"understudy/internal/platform/environment"
)

// nowhere is a ResponseWriter that discards replies.
type nowhere struct{ h http.Header }

func (n *nowhere) Header() http.Header         { return n.h }
func (n *nowhere) WriteHeader(int)             {}
func (n *nowhere) Write(b []byte) (int, error) { return len(b), nil }

func benchApp(b *testing.B) (a *App, token, channel string) {
	b.Helper()
	return benchAppIn(b, b.TempDir())
}

// benchAppIn returns a program with its data in a folder, a token of messaging, and
// the id of a channel.
func benchAppIn(b *testing.B, data string) (a *App, token, channel string) {
	b.Helper()
	a, err := New(context.Background(), config.Serve{Listen: "127.0.0.1:0", Data: data, RateLimits: "off"},
		slog.New(slog.NewTextHandler(io.Discard, nil)))
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(a.close)
	env, err := a.envs.Open(context.Background(), environment.Default)
	if err != nil {
		b.Fatal(err)
	}
	p, err := env.Service(messaging.Name).(*messagingInstance).service.Default(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest("GET", "/messaging/api/conversations.list", nil)
	r.Header.Set("Authorization", "Bearer "+p.Secrets.BotToken)
	a.ServeHTTP(w, r)
	i := strings.Index(w.Body.String(), `"name":"general"`)
	j := strings.LastIndex(w.Body.String()[:i], `"id":"`)
	return a, p.Secrets.BotToken, w.Body.String()[j+6 : j+17]
}

func send(a *App, token, method, form string) {
	r, _ := http.NewRequest("POST", "http://x/messaging/api/"+method, strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Authorization", "Bearer "+token)
	a.ServeHTTP(&nowhere{http.Header{}}, r)
}

// BenchmarkPost is chat.postMessage without the network.
func BenchmarkPost(b *testing.B) {
	a, token, channel := benchApp(b)
	body := "channel=" + channel + "&text=the+quick+brown+fox+jumps+over+the+lazy+dog+and+goes+home"
	b.SetParallelism(32)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			send(a, token, "chat.postMessage", body)
		}
	})
}

// BenchmarkPostToDead is the same while a subscription's receiver is down.
func BenchmarkPostToDead(b *testing.B) {
	a, token, channel := benchApp(b)
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct{ Challenge string }
		_ = json.NewDecoder(r.Body).Decode(&in)
		_, _ = io.WriteString(w, in.Challenge)
	}))
	subscribe(b, a, receiver.URL)
	receiver.Close()
	body := "channel=" + channel + "&text=the+quick+brown+fox+jumps+over+the+lazy+dog+and+goes+home"
	b.SetParallelism(32)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			send(a, token, "chat.postMessage", body)
		}
	})
}

func subscribe(b *testing.B, a *App, url string) {
	b.Helper()
	env, err := a.envs.Open(context.Background(), environment.Default)
	if err != nil {
		b.Fatal(err)
	}
	p, err := env.Service(messaging.Name).(*messagingInstance).service.Default(context.Background())
	if err != nil {
		b.Fatal(err)
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest("POST", "/messaging/api/events/subscribe", strings.NewReader(`{"url":"`+url+`","event_types":["message"]}`))
	r.Header.Set("Authorization", "Bearer "+p.Secrets.UserToken)
	r.Header.Set("Content-Type", "application/json")
	a.ServeHTTP(w, r)
	if w.Code != http.StatusCreated {
		b.Fatal(w.Body.String())
	}
}

// BenchmarkHistory reads 100 messages.
func BenchmarkHistory(b *testing.B) {
	a, token, channel := benchApp(b)
	for range 200 {
		send(a, token, "chat.postMessage", "channel="+channel+"&text=the+quick+brown+fox")
	}
	body := "channel=" + channel + "&limit=100"
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			send(a, token, "conversations.history", body)
		}
	})
}

// BenchmarkHistoryUnremembered reads pages that nobody has read before.
func BenchmarkHistoryUnremembered(b *testing.B) {
	a, token, channel := benchApp(b)
	for range 200 {
		send(a, token, "chat.postMessage", "channel="+channel+"&text=the+quick+brown+fox")
	}
	var n atomic.Int64
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			body := fmt.Sprintf("channel=%s&limit=100&oldest=1.%06d", channel, n.Add(1)%1000000)
			send(a, token, "conversations.history", body)
		}
	})
}
