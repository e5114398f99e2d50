package workload

import (
	"go.uber.org/atomic"

	"github.com/lockstep-go/lockstep/bench/rival"
)

// RealChat is ten rooms of twenty members. Each member is a task that writes and one that reads, as a connection is in
// a server; a room is a task that sends what it gets to all its members. A repetition is a message of every member.
var RealChat = realRow("RealChat", "chat, ten rooms of twenty members", "ns/delivery", func(e *Env, n int) {
	var delivered atomic.Int64
	done, wait := e.tracked(chatRooms * (1 + chatMembers))
	end := func() {
		if done != nil {
			done()
		}
	}
	for range chatRooms {
		room := e.Pool.NewLine(chatBuffer)
		members := make([]rival.Line, chatMembers)
		writing := atomic.NewInt64(chatMembers)
		for i := range members {
			inbox := e.Pool.NewLine(chatBuffer)
			members[i] = inbox
			e.Pool.Go(func() { // reads
				got := 0
				for _, ok := inbox.Get(); ok; _, ok = inbox.Get() {
					got++
				}
				delivered.Add(int64(got))
				end()
			})
			e.Pool.Go(func() { // writes
				for k := range n {
					room.Put(k)
				}
				if writing.Dec() == 0 {
					room.Close()
				}
			})
		}
		e.Pool.Go(func() {
			for v, ok := room.Get(); ok; v, ok = room.Get() {
				for _, m := range members {
					m.Put(v)
				}
			}
			for _, m := range members {
				m.Close()
			}
			end()
		})
	}
	wait()
	want := int64(n * chatRooms * chatMembers * chatMembers)
	verify(delivered.Load() == want, "chat: %d deliveries instead of %d", delivered.Load(), want)
	e.count(int(delivered.Load()))
}).sized(100, 2, chatRooms*chatMembers*chatMembers, chatRooms*(1+2*chatMembers))

const (
	chatRooms   = 10
	chatMembers = 20
	chatBuffer  = 16
)
