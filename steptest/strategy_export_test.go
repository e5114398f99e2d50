package steptest

// Survey returns s with counting, and what reads the figures after the run.
func Survey(s Strategy) (Strategy, func(tasks []*Task) Program) {
	v := &survey{Strategy: s}
	return v, v.program
}

// StrategiesByName is for flags.
var StrategiesByName = strategiesByName
