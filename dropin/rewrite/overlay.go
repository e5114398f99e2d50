package rewrite

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// WriteOverlay writes the changed files below dir, and beside them the file overlay.json
// that go build -overlay reads, whose name it returns. Extra are further files of the overlay, by the
// absolute path that the go command is to see them at.
func (r *Result) WriteOverlay(dir string, extra map[string][]byte) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	replace := map[string]string{}
	add := func(name string, text []byte) error {
		// The number keeps files of one name apart, and the name helps whoever looks into the folder.
		to := filepath.Join(dir, fmt.Sprintf("%03d_%s", len(replace), filepath.Base(name)))
		replace[name] = to
		return os.WriteFile(to, text, 0o644)
	}
	for _, f := range r.Files {
		if f.Changed() {
			if err := add(f.Name, f.After); err != nil {
				return "", err
			}
		}
	}
	for name, text := range extra {
		if err := add(name, text); err != nil {
			return "", err
		}
	}
	text, err := json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, append(text, '\n'), 0o644)
}
