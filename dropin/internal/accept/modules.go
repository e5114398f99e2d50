//go:build modules

package accept

// The modules that are tried, so that go mod tidy keeps them. The tag is never set.
import (
	_ "github.com/charlievieth/fastwalk"
	_ "github.com/golang/groupcache"
	_ "github.com/oklog/run"
	_ "github.com/robfig/cron/v3"
	_ "github.com/sourcegraph/conc/pool"
	_ "golang.org/x/sync/errgroup"
)
