package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"strconv"
	"sync"
	"time"
)

// errUnsent marks a request that found no free connection in time.
var errUnsent = errors.New("no connection was free until the grace period was over")

// conn is one kept-alive connection that asks the same question again and again. It speaks just enough
// HTTP/1.1 for a server that is known, because net/http's client costs several times what the request itself
// does, and a generator that needs that much CPU would push its own load onto the cores it is measuring.
type conn struct {
	addr    string
	request []byte
	want    string

	mu     sync.Mutex
	tcp    net.Conn
	in     *bufio.Reader
	closed bool
}

// requestText is the whole request, made once.
func requestText(addr, path string) []byte {
	return fmt.Appendf(nil, "GET %s HTTP/1.1\r\nHost: %s\r\n\r\n", path, addr)
}

// ask sends one request and reads its answer. After an error the connection is replaced at the next call,
// since what is still on its way over the old one could be taken for a later answer.
func (c *conn) ask(deadline time.Time) error {
	tcp, err := c.open(deadline)
	if err != nil {
		return err
	}
	if err := c.exchange(tcp, deadline); err != nil {
		c.drop()
		return err
	}
	return nil
}

func (c *conn) exchange(tcp net.Conn, deadline time.Time) error {
	if err := tcp.SetDeadline(deadline); err != nil {
		return err
	}
	if _, err := tcp.Write(c.request); err != nil {
		return err
	}
	return c.answer()
}

// answer reads status, headers and body, and compares the body with what it has to be.
func (c *conn) answer() error {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return err
	}
	ok := bytes.HasPrefix(line, []byte("HTTP/1.1 200 "))
	status := string(bytes.TrimSpace(line))
	length := -1
	for {
		line, err := c.in.ReadSlice('\n')
		if err != nil {
			return err
		}
		name, value, found := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
		if !found {
			break
		}
		if bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(bytes.TrimSpace(value))); err != nil {
				return err
			}
		}
	}
	if length < 0 || length > c.in.Size() {
		return fmt.Errorf("the server's answer has no usable length: %s", status)
	}
	body, err := c.in.Peek(length)
	if err != nil {
		return err
	}
	same := string(body) == c.want
	if _, err := c.in.Discard(length); err != nil {
		return err
	}
	switch {
	case !ok:
		return fmt.Errorf("the server answered %s", status)
	case !same:
		return errors.New("the server answered with a wrong digest")
	}
	return nil
}

func (c *conn) open(deadline time.Time) (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, net.ErrClosed
	}
	if c.tcp != nil {
		return c.tcp, nil
	}
	tcp, err := dial(c.addr, deadline)
	if err != nil {
		return nil, err
	}
	c.tcp = tcp
	if c.in == nil {
		c.in = bufio.NewReader(tcp)
	} else {
		c.in.Reset(tcp)
	}
	return tcp, nil
}

func (c *conn) drop() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.tcp != nil {
		c.tcp.Close()
		c.tcp = nil
	}
}

// close ends the connection for good; a call of ask that is in progress returns with an error.
func (c *conn) close() {
	c.drop()
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
}
