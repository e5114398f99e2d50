package main

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"
)

// urgentPath is the route whose latency is measured.
const urgentPath = "/urgent"

// server is the HTTP server of one mode. Each mode gets its own, so no connection and no handler outlives it.
type server struct {
	http   *http.Server
	addr   string
	served chan error
}

// startServer listens and serves the urgent route through the mode's runner.
func startServer(addr string, run runner, work *urgentWork, m *meter) (*server, error) {
	ln, err := listen(addr)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+urgentPath, func(w http.ResponseWriter, r *http.Request) {
		var sum [32]byte
		err := run.urgent(r.Context(), func() {
			begun := time.Now()
			sum = work.do()
			m.urgent.Add(plausible(time.Since(begun), work.took))
		})
		if err != nil {
			http.Error(w, err.Error(), http.StatusServiceUnavailable)
			return
		}
		var text [64]byte
		hex.Encode(text[:], sum[:])
		w.Header().Set("Content-Type", "text/plain")
		w.Write(text[:]) // a client that has gone away is no concern of the server's
	})
	s := &server{
		http:   &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute},
		addr:   ln.Addr().String(),
		served: make(chan error, 1),
	}
	go func() { s.served <- s.http.Serve(ln) }()
	return s, nil
}

// close waits for the handlers that are still running, so that the runner can be closed after it.
func (s *server) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if err := s.http.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("the server did not end: %w", err), s.http.Close())
	}
	if err := <-s.served; !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// listen turns the usual failure, a port in use, into advice.
func listen(addr string) (net.Listener, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("cannot serve on %s: %w; stop what uses the port, or take any free one with -addr=127.0.0.1:0", addr, err)
	}
	return ln, nil
}

// checkAddr finds a busy port before the input is read.
func checkAddr(addr string) error {
	ln, err := listen(addr)
	if err != nil {
		return err
	}
	return ln.Close()
}
