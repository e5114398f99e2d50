package main

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/atomic"
)

func TestScheduleIsExact(t *testing.T) {
	for _, s := range []schedule{
		{Rate: 1000, Warmup: 500 * time.Millisecond, Duration: 4 * time.Second},
		{Rate: 3, Duration: time.Second},
		{Rate: 7, Duration: 999 * time.Millisecond},
		{Rate: 1_000_000, Duration: 50 * time.Millisecond},
		{Rate: 1, Duration: time.Hour},
	} {
		n := s.count()
		require.Less(t, s.due(n-1), s.end())
		require.GreaterOrEqual(t, s.due(n), s.end())
		require.Zero(t, s.due(0))
		require.Equal(t, 5*time.Second, s.due(int64(5*s.Rate)), "no drift")
	}
	require.EqualValues(t, 4500, schedule{Rate: 1000, Warmup: 500 * time.Millisecond, Duration: 4 * time.Second}.count())
}

func ignore(loadProgress) {}

func jobFor(url string, want string) job {
	return job{
		Addr: strings.TrimPrefix(url, "http://"), Path: urgentPath, Want: want, Conns: 2, Grace: 10 * time.Second,
		Schedule: schedule{Rate: 1000, Warmup: 10 * time.Millisecond, Duration: 40 * time.Millisecond},
	}
}

func TestGenerateAsksEveryRequestOnce(t *testing.T) {
	var asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Inc()
		io.WriteString(w, "fine")
	}))
	defer srv.Close()
	j := jobFor(srv.URL, "fine")
	for name, g := range map[string]generator{"inside": generate, "child": generateInChild} {
		asked.Store(0)
		begun := 0
		res, err := g(t.Context(), j, func() { begun++ }, ignore)
		require.NoError(t, err, name)
		require.Equal(t, 1, begun)
		require.EqualValues(t, 50+j.Conns, asked.Load(), "each connection tries once before the schedule starts")
		require.EqualValues(t, 40, res.Offered)
		require.EqualValues(t, 40, res.Answered)
		require.EqualValues(t, 40, res.Latency.N)
		require.Zero(t, res.Errors, res.First)
	}
}

func TestWhatIsNotAnsweredCountsFromWhenItWasDue(t *testing.T) {
	var asked atomic.Int64
	hold := make(chan struct{})
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Inc() > 2 {
			<-hold
		}
		io.WriteString(w, "fine")
	}))
	defer srv.Close()
	defer close(hold)
	j := jobFor(srv.URL, "fine")
	j.Grace = 20 * time.Millisecond
	res, err := generate(t.Context(), j, func() {}, ignore)
	require.NoError(t, err)
	require.EqualValues(t, 40, res.Offered, "the schedule does not wait for a server that stands still")
	require.EqualValues(t, 40, res.Errors)
	require.EqualValues(t, 40, res.Latency.N)
	require.GreaterOrEqual(t, res.Latency.quantile(0), j.Grace)
	require.NotEmpty(t, res.First)
	require.Positive(t, res.Unsent)
	require.Zero(t, res.Timely)
}

func TestWrongAnswersAreErrors(t *testing.T) {
	var asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch n := asked.Inc(); {
		case n <= 2:
			io.WriteString(w, "fine")
		case n%2 == 0:
			io.WriteString(w, "foul")
		default:
			http.Error(w, "no", http.StatusServiceUnavailable)
		}
	}))
	defer srv.Close()
	res, err := generate(t.Context(), jobFor(srv.URL, "fine"), func() {}, ignore)
	require.NoError(t, err)
	require.EqualValues(t, 40, res.Errors)
	require.Zero(t, res.Answered)
}

func TestGenerateEndsWithItsContext(t *testing.T) {
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "fine") }))
	defer srv.Close()
	j := jobFor(srv.URL, "fine")
	j.Schedule.Duration = time.Hour
	for _, g := range []generator{generate, generateInChild} {
		ctx, cancel := context.WithCancel(t.Context())
		_, err := g(ctx, j, cancel, ignore)
		require.Error(t, err)
		require.ErrorIs(t, ctx.Err(), context.Canceled)
	}
}

func TestNoServer(t *testing.T) {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, ln.Close())
	for _, g := range []generator{generate, generateInChild} {
		_, err := g(t.Context(), jobFor("http://"+ln.Addr().String(), ""), func() {}, ignore)
		require.ErrorContains(t, err, "the server did not answer the load generator")
	}
}

func TestAnswers(t *testing.T) {
	for text, says := range map[string]string{
		"HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nfine":       "",
		"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfoul":       "wrong digest",
		"HTTP/1.1 503 Busy\r\nContent-Length: 4\r\n\r\nfine":     "503 Busy",
		"HTTP/1.1 200 OK\r\n\r\n":                                "no usable length",
		"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n":           "invalid syntax",
		"HTTP/1.1 200 OK\r\nContent-Length: 9999999\r\n\r\nfine": "no usable length",
		"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfi":         "EOF",
		"": "EOF",
	} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		require.NoError(t, err)
		go func() {
			if c, err := ln.Accept(); err == nil {
				io.ReadFull(c, make([]byte, len(requestText(ln.Addr().String(), "/"))))
				io.WriteString(c, text)
				c.Close()
			}
		}()
		c := &conn{addr: ln.Addr().String(), request: requestText(ln.Addr().String(), "/"), want: "fine"}
		err = c.ask(time.Now().Add(time.Minute))
		if says == "" {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, says, text)
		}
		c.close()
		require.ErrorIs(t, c.ask(time.Now()), net.ErrClosed)
		require.NoError(t, ln.Close())
	}
}
