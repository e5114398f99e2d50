package lockstep_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/lockstep-go/lockstep"
)

func ExampleForEach() {
	p, err := lockstep.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	ctx := p.Context(context.Background())
	words := []string{"one", "two", "three"}
	upper := make([]string, len(words))
	err = lockstep.ForN(ctx, len(words), func(_ context.Context, i int) error {
		upper[i] = strings.ToUpper(words[i])
		return nil
	})
	fmt.Println(upper, err)

	err = lockstep.ForEach(ctx, words, func(_ context.Context, word string) error {
		if len(word) > 3 {
			return errors.New(word + " is too long")
		}
		return nil
	})
	fmt.Println(err)
	// Output:
	// [ONE TWO THREE] <nil>
	// three is too long
}

func ExampleMap() {
	p, err := lockstep.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	ctx := p.Context(context.Background())
	lengths, err := lockstep.Map(ctx, []string{"a", "bb", "", "dddd", ""}, func(_ context.Context, s string) (int, error) {
		if s == "" {
			return 0, errors.New("an empty one")
		}
		return len(s), nil
	}, lockstep.Limit(2), lockstep.AllErrors())
	fmt.Println(lengths)
	fmt.Println(err)
	// Output:
	// [1 2 0 4 0]
	// an empty one
	// an empty one
}

func ExampleMapSeq() {
	p, err := lockstep.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	ctx := p.Context(context.Background())
	lines := strings.SplitSeq("3 1 2", " ")
	for line, err := range lockstep.MapSeq(ctx, lines, func(_ context.Context, s string) (string, error) {
		return strings.Repeat("#", int(s[0]-'0')), nil
	}) {
		fmt.Println(line, err)
	}
	// Output:
	// ### <nil>
	// # <nil>
	// ## <nil>
}

func ExampleForEachSeq() {
	p, err := lockstep.New()
	if err != nil {
		fmt.Println(err)
		return
	}
	defer p.Close()
	ctx := p.Context(context.Background())
	err = lockstep.ForEachSeq(ctx, slices.Values([]int{1, 2, 3}), func(_ context.Context, i int) error {
		fmt.Println(i)
		return nil
	}, lockstep.Limit(1))
	fmt.Println(err)
	// Output:
	// 1
	// 2
	// 3
	// <nil>
}
