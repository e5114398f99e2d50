module github.com/lockstep-go/lockstep/dropin

go 1.26.0

require (
	github.com/charlievieth/fastwalk v1.0.14
	github.com/golang/groupcache v0.0.0-20241129210726-2c02b8208cf8
	github.com/lockstep-go/lockstep v0.0.0
	github.com/oklog/run v1.2.0
	github.com/robfig/cron/v3 v3.0.1
	github.com/sourcegraph/conc v0.3.0
	github.com/stretchr/testify v1.12.1
	golang.org/x/sync v0.25.0
	golang.org/x/tools v0.52.0
)

require (
	github.com/golang/protobuf v1.5.4 // indirect
	github.com/panjf2000/ants/v2 v2.12.1 // indirect
	go.uber.org/atomic v1.12.0 // indirect
	go.uber.org/multierr v1.9.0 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
	golang.org/x/mod v0.42.0 // indirect
	google.golang.org/protobuf v1.33.0 // indirect
)

replace github.com/lockstep-go/lockstep => ../
