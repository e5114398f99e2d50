module github.com/lockstep-go/lockstep/lincheck

go 1.26.0

require (
	github.com/anishathalye/porcupine v1.3.1
	github.com/lockstep-go/lockstep v0.0.0
	github.com/stretchr/testify v1.12.1
	go.uber.org/atomic v1.12.0
	golang.org/x/sync v0.25.0
)

require (
	github.com/panjf2000/ants/v2 v2.12.1 // indirect
	go.yaml.in/yaml/v3 v3.0.5 // indirect
)

replace github.com/lockstep-go/lockstep => ../
