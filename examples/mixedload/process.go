package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// clientEnv makes this binary a load generator instead of the program. It is an environment variable and not
// a flag, so that it works in a test's binary too and does not show among the flags.
const clientEnv = "LOCKSTEP_MIXEDLOAD_CLIENT"

// message is one line from the child to its parent, with one of the fields set.
type message struct {
	Ready    bool          `json:",omitempty"`
	Progress *loadProgress `json:",omitempty"`
	Result   *loadResult   `json:",omitempty"`
	Error    string        `json:",omitempty"`
}

// generateInChild is generate in a process of its own. The parent writes the job, waits for "ready" (the
// connections stand), starts its bulk work and writes an empty line, on which the schedule begins. Standard
// input stays open for as long as the parent lives, so a child whose parent has died reads an end of file and
// ends as well.
func generateInChild(ctx context.Context, j job, begin func(), progress func(loadProgress)) (*loadResult, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("the load generator cannot be started: %w; use -client=inside", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cmd := exec.CommandContext(ctx, exe)
	cmd.Env = append(os.Environ(), clientEnv+"=1")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, inErr := cmd.StdinPipe()
	stdout, outErr := cmd.StdoutPipe()
	if err := errors.Join(inErr, outErr); err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("the load generator cannot be started: %w; use -client=inside", err)
	}
	result, err := converse(stdin, stdout, j, begin, progress)
	if err != nil {
		cancel()
	}
	waitErr := cmd.Wait() // closes both pipes
	switch {
	case ctx.Err() != nil && err == nil:
		return nil, context.Cause(ctx)
	case err != nil:
		return nil, fmt.Errorf("the load generator failed: %w%s", err, indent(stderr.String()))
	case waitErr != nil:
		return nil, fmt.Errorf("the load generator failed: %w%s", waitErr, indent(stderr.String()))
	}
	return result, nil
}

// converse is the parent's side of the conversation.
func converse(stdin io.Writer, stdout io.Reader, j job, begin func(), progress func(loadProgress)) (*loadResult, error) {
	if err := json.NewEncoder(stdin).Encode(j); err != nil {
		return nil, err
	}
	for lines := json.NewDecoder(stdout); ; {
		var m message
		if err := lines.Decode(&m); err != nil {
			return nil, fmt.Errorf("it ended without a result: %w", err)
		}
		switch {
		case m.Error != "":
			return nil, errors.New(m.Error)
		case m.Result != nil:
			return m.Result, nil
		case m.Progress != nil:
			progress(*m.Progress)
		case m.Ready:
			begin()
			if _, err := io.WriteString(stdin, "\n"); err != nil {
				return nil, err
			}
		}
	}
}

// clientMain is the child's main function.
func clientMain(stdin io.Reader, stdout, stderr io.Writer) int {
	in := bufio.NewReader(stdin)
	out := json.NewEncoder(stdout)
	line, err := in.ReadBytes('\n')
	var j job
	if err == nil {
		err = json.Unmarshal(line, &j)
	}
	if err != nil {
		fmt.Fprintln(stderr, "no job:", err)
		return 1
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	begin := func() {
		if err := out.Encode(message{Ready: true}); err != nil {
			cancel(err)
		}
		if _, err := in.ReadByte(); err != nil {
			cancel(err)
		}
		go func() {
			_, err := in.ReadByte() // nothing more comes: this waits for the parent's end
			cancel(fmt.Errorf("the parent has gone: %w", err))
		}()
	}
	result, err := generate(ctx, j, begin, func(p loadProgress) {
		if err := out.Encode(message{Progress: &p}); err != nil {
			cancel(err)
		}
	})
	m := message{Result: result}
	if err != nil {
		m = message{Error: err.Error()}
	}
	if err := out.Encode(m); err != nil {
		return 1
	}
	return 0
}

func indent(s string) string {
	if s = strings.TrimSpace(s); s == "" {
		return ""
	}
	return "\n\t" + strings.ReplaceAll(s, "\n", "\n\t")
}
