package pool

// What happened before what, in a stepped run, as far as the library's own operations say: by vector clocks (Fidge and Mattern, 1988), one for each
// task, and one for each object that tasks meet at.
//
//	a task spawns                the child begins with what the parent knows
//	an operation at an object    task and object know from now on what either knew
//	a wait at an object is over  the same
//	any other wait is over       the task knows what all tasks know
//
// That is more than Go's memory model orders (an unlock knows nothing of earlier readers, say), so of two accesses that are not ordered here one can be sure.
// It is kept only when somebody wants to know.

type vector []uint32

func (v vector) of(id int) uint32 {
	if id < len(v) {
		return v[id]
	}
	return 0
}

func (v *vector) join(u vector) {
	for len(*v) < len(u) {
		*v = append(*v, 0)
	}
	for i, n := range u {
		(*v)[i] = max((*v)[i], n)
	}
}

// order is kept by a stepper with Order set.
type order struct{ objects map[any]*vector }

// Epoch returns a moment of the calling task: its number, and its own count of them.
func (d *Stepper) Epoch() (id int, at uint32) {
	by := d.Enter()
	id, at = d.epoch()
	by.Leave()
	return id, at
}

func (d *Stepper) epoch() (id int, at uint32) {
	t := d.running
	if t.knows.of(t.ID) == 0 { // it is kept from now on: what tells others of this comes after it
		t.moves()
	}
	return t.ID, t.knows.of(t.ID)
}

// Knows reports whether that moment of a task happened before what the calling task does now.
func (d *Stepper) Knows(id int, at uint32) bool {
	by := d.Enter()
	knows := d.running.knows.of(id) >= at
	by.Leave()
	return knows
}

// Meet says that the calling task does something at obj that is ordered with what others do there.
func (d *Stepper) Meet(obj any) {
	by := d.Enter()
	if d.Order && !d.ending {
		d.order.meet(d.running, obj)
	}
	by.Leave()
}

func (o *order) meet(t *Step, obj any) {
	if o.objects == nil {
		o.objects = map[any]*vector{}
	}
	v := o.objects[obj]
	if v == nil {
		v = &vector{}
		o.objects[obj] = v
	}
	t.knows.join(*v)
	v.join(t.knows)
	t.moves()
}

// moves begins a new moment of the task: what it does from now on nobody knows yet.
func (t *Step) moves() {
	for len(t.knows) <= t.ID {
		t.knows = append(t.knows, 0)
	}
	t.knows[t.ID]++
}

// orderPoint is called when t goes on from a point.
func (d *Stepper) orderPoint(t *Step) {
	switch t.Op {
	case OpPoint, OpYield, OpNeed, OpSpawn, OpRead, OpWrite, OpBlock, OpUnblock:
		return
	}
	if t.Obj != nil {
		d.order.meet(t, t.Obj)
	}
}

// orderWait is called when t goes on after a wait. That for a condition ends with the operation at its lock as the last one, which the
// signal need not have met.
func (d *Stepper) orderWait(t *Step, why Why) {
	switch why {
	case WhyLock, WhyWaitGroup, WhySemaphore, WhySend, WhyReceive, WhyTask, WhyGroup:
		if t.Obj != nil && t.Op != OpCancel {
			d.order.meet(t, t.Obj)
			return
		}
	}
	for _, u := range d.tasks { // also those that are over
		t.knows.join(u.knows)
	}
	t.moves()
}

// orderSpawn is called when by, nil if a timer does it, has spawned t.
func (d *Stepper) orderSpawn(by, t *Step) {
	if by == nil {
		for _, u := range d.tasks {
			t.knows.join(u.knows)
		}
	} else {
		t.knows.join(by.knows)
		by.moves()
	}
	t.moves()
}
