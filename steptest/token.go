package steptest

import (
	"encoding/base64"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
)

// A token is a schedule as text: the version, whether time may pass early, and the choices, base64url. A run of zeros is
// a zero and its length; any other choice is itself.
const tokenVersion = "s1"

// tokenMost is the longest token that is printed; a longer one is only in the file.
const tokenMost = 200

// schedule is all that a run depends on, beside the program.
type schedule struct {
	early   bool
	choices []uint16
}

func (s schedule) token() string {
	var b []byte
	choices := s.choices
	for n := len(choices); n > 0 && choices[n-1] == 0; n = len(choices) { // what follows the end is zeros too
		choices = choices[:n-1]
	}
	for i := 0; i < len(choices); {
		b = binary.AppendUvarint(b, uint64(choices[i]))
		if choices[i] != 0 {
			i++
			continue
		}
		n := 1
		for choices[i+n] == 0 {
			n++
		}
		b = binary.AppendUvarint(b, uint64(n))
		i += n
	}
	kind := "n"
	if s.early {
		kind = "e"
	}
	return tokenVersion + kind + ":" + base64.RawURLEncoding.EncodeToString(b)
}

// parseToken reads a token, or a file with one.
func parseToken(text string) (schedule, error) {
	text = strings.TrimSpace(text)
	if !strings.HasPrefix(text, tokenVersion) {
		b, err := os.ReadFile(text)
		if err != nil {
			return schedule{}, fmt.Errorf("steptest: %q is no token of this version (%s...) and no file with one: %w", text, tokenVersion, err)
		}
		return parsePinned(b)
	}
	kind, body, ok := strings.Cut(strings.TrimPrefix(text, tokenVersion), ":")
	if !ok || kind != "n" && kind != "e" {
		return schedule{}, fmt.Errorf("steptest: the token %q is damaged: after %s come n or e and a colon", text, tokenVersion)
	}
	b, err := base64.RawURLEncoding.DecodeString(body)
	if err != nil {
		return schedule{}, fmt.Errorf("steptest: the token %q is damaged: %w", text, err)
	}
	s := schedule{early: kind == "e"}
	for len(b) > 0 {
		v, rest, err := uvarint(b)
		if err != nil || v > 0xffff {
			return schedule{}, fmt.Errorf("steptest: the token %q is damaged", text)
		}
		n := uint64(1)
		if v == 0 {
			if n, rest, err = uvarint(rest); err != nil || n == 0 || n > 1<<24 {
				return schedule{}, fmt.Errorf("steptest: the token %q is damaged", text)
			}
		}
		for range n {
			s.choices = append(s.choices, uint16(v))
		}
		b = rest
	}
	return s, nil
}

var errShort = errors.New("cut off")

func uvarint(b []byte) (uint64, []byte, error) {
	v, n := binary.Uvarint(b)
	if n <= 0 {
		return 0, nil, errShort
	}
	return v, b[n:], nil
}

// parsePinned reads a file of the corpus: lines that begin with # say what it is, the first other one is the token.
func parsePinned(b []byte) (schedule, error) {
	for line := range strings.Lines(string(b)) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			if !strings.HasPrefix(line, tokenVersion) {
				return schedule{}, fmt.Errorf("steptest: %q is no token of this version, which begin with %s: find the schedule again and pin that", line, tokenVersion)
			}
			return parseToken(line)
		}
	}
	return schedule{}, errors.New("steptest: there is no token in the file")
}
