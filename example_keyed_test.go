package lockstep_test

import (
	"context"
	"fmt"

	"github.com/lockstep-go/lockstep"
)

func ExampleKeyed() {
	p, err := lockstep.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	accounts := map[string]*int{"anna": new(int), "ben": new(int)}
	k := lockstep.NewKeyed[string](p.TaskQueue(lockstep.DefaultQueue))
	b := k.Batch()
	for i := range 100 {
		b.Go("anna", func() { *accounts["anna"] += i }) // no lock: one at a time
		b.Go("ben", func() { *accounts["ben"]++ })
	}
	b.Send()
	for _, name := range []string{"anna", "ben"} {
		_ = k.Do(context.Background(), name, func(context.Context) error {
			fmt.Println(name, *accounts[name])
			return nil
		})
	}
	// Output:
	// anna 4950
	// ben 100
}

func ExampleSharded() {
	p, err := lockstep.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	type store map[string]int
	s, err := lockstep.NewSharded(p.TaskQueue(lockstep.DefaultQueue), func(int) store { return store{} }, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	b := s.Batch()
	for _, word := range []string{"to", "be", "or", "not", "to", "be"} {
		b.To(lockstep.ShardOf(word, s.Shards()), func(m store) { m[word]++ })
	}
	b.Send()
	_ = s.Do(context.Background(), lockstep.ShardOf("be", s.Shards()), func(_ context.Context, m store) error {
		fmt.Println(m["be"])
		return nil
	})
	// Output: 2
}
