package rt_test

import (
	"context"
	"fmt"
	"strings"
	"time"
	"unsafe"

	"github.com/encorert/encorert/rt"
)

// greeter is what the generator makes of an annotated type, in short: the runtime's part first, then the state.
type greeter struct {
	rt.Actor
	greeted int
}

var (
	greeterType = rt.ActorType{Name: "example.greeter"}
	greet       = rt.Behaviour{Name: "Greet", Run: func(cctx **rt.Ctx, a *rt.Actor, m *rt.Message) {
		g := (*greeter)(unsafe.Pointer(a))
		g.greeted++
		fmt.Println("greeting", g.greeted, "with", m.W0)
	}}
)

// A run lasts until no actor can do anything any more. Do is for calls from other goroutines.
func Example() {
	r, err := rt.New(rt.Config{Workers: 2})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	g := new(greeter)
	err = r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx // good for leaves, until something takes cctx
		rt.Spawn(ctx, &g.Actor, &greeterType)
		rt.Send(ctx, &g.Actor, rt.Message{B: &greet, W0: 7})
		rt.Send(ctx, &g.Actor, rt.Message{B: &greet, W0: 8})
	})
	fmt.Println("the run has ended:", err)
	err = r.Do(context.Background(), func(cctx **rt.Ctx) {
		fmt.Println("inside, on", (*cctx).Self())
	})
	fmt.Println(err)
	// Output:
	// greeting 1 with 7
	// greeting 2 with 8
	// the run has ended: <nil>
	// inside, on rt.Do
	// <nil>
}

// Timers run a function as a behaviour, and hold the run open until they are closed.
func ExampleEvery() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	err = r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx
		g := new(greeter)
		rt.Spawn(ctx, &g.Actor, &greeterType)
		ticks := uint64(0)
		_, err := rt.Every(ctx, time.Millisecond, func(cctx **rt.Ctx, t *rt.Timer) {
			if ticks++; ticks == 3 {
				t.Close()
			}
			rt.Send(*cctx, &g.Actor, rt.Message{B: &greet, W0: ticks})
		})
		if err != nil {
			panic(err)
		}
	})
	fmt.Println("the run has ended:", err)
	// Output:
	// greeting 1 with 1
	// greeting 2 with 2
	// greeting 3 with 3
	// the run has ended: <nil>
}

// A deadline: whichever comes first closes the other's way.
func ExampleAfter() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	err = r.Run(func(cctx **rt.Ctx) {
		late, err := rt.After(*cctx, time.Hour, func(**rt.Ctx) { fmt.Println("nobody has answered") })
		if err != nil {
			panic(err)
		}
		rt.After(*cctx, time.Millisecond, func(**rt.Ctx) {
			if late.Close() == 1 {
				fmt.Println("answered in time")
			}
		})
	})
	fmt.Println(err)
	// Output:
	// answered in time
	// <nil>
}

// A goroutine outside learns things that actors want to know.
func ExampleNewSource() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	keyboard := make(chan uint64)
	go func() {
		defer close(keyboard)
		for k := range uint64(3) {
			keyboard <- k
		}
	}()
	err = r.Run(func(cctx **rt.Ctx) {
		ctx := *cctx
		g := new(greeter)
		rt.Spawn(ctx, &g.Actor, &greeterType)
		keys, err := rt.NewSource(ctx, "keys")
		if err != nil {
			panic(err)
		}
		go func() {
			for k := range keyboard {
				keys.Post(func(cctx **rt.Ctx) { rt.Send(*cctx, &g.Actor, rt.Message{B: &greet, W0: k}) })
			}
			keys.Post(func(**rt.Ctx) { keys.Close() }) // after all others; a Close from here would drop what has not begun
		}()
	})
	fmt.Println(err)
	// Output:
	// greeting 1 with 0
	// greeting 2 with 1
	// greeting 3 with 2
	// <nil>
}

// Blocks of what is read are events; the last one says why there are no more.
func ExampleReadFrom() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	err = r.Run(func(cctx **rt.Ctx) {
		_, err := rt.ReadFrom(*cctx, strings.NewReader("as it comes"), 5, func(_ **rt.Ctx, _ *rt.Reader, b []byte, err error) {
			fmt.Printf("%q %v\n", b, err)
		})
		if err != nil {
			panic(err)
		}
	})
	fmt.Println(err)
	// Output:
	// "as it" <nil>
	// " come" <nil>
	// "s" <nil>
	// "" EOF
	// <nil>
}

// Writes are done in order, by a goroutine outside; each has an event.
func ExampleWriteTo() {
	r, err := rt.New(rt.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Close()
	var file strings.Builder
	err = r.Run(func(cctx **rt.Ctx) {
		w, err := rt.WriteTo(*cctx, &file, 1<<20, func(_ **rt.Ctx, b []byte, err error) {
			fmt.Printf("%q %v\n", b, err)
		})
		if err != nil {
			panic(err)
		}
		for _, line := range []string{"one\n", "two\n"} {
			if err := w.Write([]byte(line)); err != nil {
				panic(err)
			}
		}
	})
	fmt.Printf("%q %v\n", file.String(), err)
	// Output:
	// "one\n" <nil>
	// "two\n" <nil>
	// "one\ntwo\n" <nil>
}

// An epoch is reached when all that was submitted before it has ended. (Package futures submits tasks: futures.Async.)
func ExampleMarkEpoch() {
	r, _ := rt.New(rt.Config{Tasks: 16})
	defer r.Close()
	_ = r.Run(func(cctx **rt.Ctx) {
		id, _ := submit(cctx, "sort", func(cctx **rt.Ctx) {
			self, _ := rt.RunningTask(*cctx)
			info, _ := r.Task(self)
			fmt.Println(info.Label, info.State)
		})
		epoch := rt.MarkEpoch(*cctx)
		fmt.Println(rt.WaitEpoch(cctx, epoch), r.LastEpoch() == epoch)
		_, there := r.Task(id) // its slot is free
		fmt.Println(there)
	})
	// Output:
	// sort running
	// <nil> true
	// false
}
