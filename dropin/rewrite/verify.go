package rewrite

import "golang.org/x/tools/go/packages"

// Verify type-checks what Packages made of the packages, without writing it. An error
// is a fault of this package, except for two that only the whole shows: a pool expression that is
// no function of a func(), and a pool in an internal package.
func Verify(c Config, r *Result) error {
	overlay := map[string][]byte{}
	for _, f := range r.Files {
		if f.Changed() {
			overlay[f.Name] = f.After
		}
	}
	if len(overlay) == 0 {
		return nil
	}
	loaded, err := packages.Load(c.packages(loadSyntax, overlay), r.Packages...)
	if err != nil {
		return err
	}
	return firstErrors("rewritten to call "+c.Pool.String()+", the packages do not build", loaded)
}
