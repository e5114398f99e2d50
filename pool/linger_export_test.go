package pool

// Linger is whether a worker looks a little while before it sleeps.
type Linger struct{ linger }

func (l *Linger) On() bool { return l.on }
func (l *Linger) Handed()  { l.crossed() }
func (l *Linger) Readied() { l.readied() }
func (l *Linger) InVain()  { l.on = false; l.failed() }
func (l *Linger) Paid()    { l.vain, l.on = 0, true }
