package accept

// NewBinaries makes a suite of one binary with arguments of its own.
func NewBinaries(dir, binary string, args ...string) *Binaries {
	return &Binaries{
		rewritten: &Rewritten{bench: &bench{dir: dir}, packages: []testPackage{{ImportPath: "example.com/p", Dir: dir}}},
		paths:     []string{binary}, args: args,
	}
}
