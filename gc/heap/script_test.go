package heap

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var updateScripts = flag.Bool("update", false, "rewrite the transcripts in testdata/sharing")

// script runs the commands of a file in testdata/sharing with heaps that share, and writes what they do. A command is a line:
//
//	heaps a b c         makes heaps
//	a new x [y]         an object x in heap a, which refers to y
//	a link x y          x refers to y
//	a behind x y        the root y is what x refers to
//	a drop x            x is no root of a any more
//	a isolate x n       x is the first of n objects in a region of their own
//	a val x m           message m shares x; copy and iso likewise
//	a future x f        future f shares x
//	b receive m x       b gets what m carries as x
//	b read f x          b reads future f
//	free m              a message or future is dropped
//	b collect, b full   collections
//	a dies              a has no actor any more
//	deliver             all notes, in any order that is causal
//	state               who holds what
//
// An error line is what a command panics with.
type script struct {
	*cluster
	out   strings.Builder
	roots map[string]held // by heap and name
	sent  map[string]parcel
	names map[*node]string
	dice  *rand.Rand
}

func (s *script) member(name string) *member {
	for _, a := range s.members {
		if a.name == name {
			return a
		}
	}
	s.t.Fatalf("no heap %q", name)
	return nil
}

func (s *script) printf(format string, args ...any) { fmt.Fprintf(&s.out, format, args...) }

// weight writes a weight as a fraction of what a new reference carries.
func weight(w uint64) string {
	whole, rest := w/fullWeight, w%fullWeight
	text := fmt.Sprint(whole)
	if rest == 0 {
		return text
	}
	of := uint64(fullWeight)
	for rest%2 == 0 {
		rest, of = rest/2, of/2
	}
	if whole == 0 {
		return fmt.Sprintf("%d/%d", rest, of)
	}
	return fmt.Sprintf("%s+%d/%d", text, rest, of)
}

func (s *script) name(a uintptr) string {
	for p, name := range s.names {
		if p == (*node)(pointerTo(&a)) {
			return name
		}
	}
	return "?"
}

func (s *script) heapName(in *Inbox) string {
	for _, a := range s.members {
		if a.h.shares != nil && a.h.shares.inbox == in {
			return a.name
		}
	}
	return "?"
}

// pack makes a message of one root.
func (s *script) pack(a *member, name string, way func(f *Fragment, r *held)) {
	r := s.roots[a.name+" "+name]
	if r.p == nil {
		s.t.Fatalf("%s has no %s", a.name, name)
	}
	f := s.space.NewFragment()
	way(f, &r)
	s.noteNotes(a)
	s.sent[""] = parcel{r, f, s.now()}
}

// noteNotes writes the notes that a heap leaves, and puts them on their way.
func (s *script) noteNotes(a *member) {
	for n := len(s.notes); ; {
		s.owe(a)
		for _, note := range s.notes[n:] {
			word := "acquires"
			change := note.Change
			if change < 0 {
				word, change = "releases", -change
			}
			s.printf("  %s %s %s of %s.%s\n", a.name, word, weight(uint64(change)), s.heapName(note.To), s.name(uintptr(note.Object)))
		}
		return
	}
}

func (s *script) step(line string) {
	words := strings.Fields(line)
	if len(words) == 1 || words[0] == "heaps" || words[0] == "free" {
		s.all(words)
		return
	}
	a := s.member(words[0])
	at := func(name string) held { return s.roots[a.name+" "+name] }
	arg := func(i int) string {
		if i < len(words) {
			return words[i]
		}
		return ""
	}
	put := func(name string, r held) {
		s.roots[a.name+" "+name] = r
		if s.names[r.p] == "" {
			s.names[r.p] = name
		}
	}
	switch words[1] {
	case "new":
		p := newNode(a.h, &a.c, at(arg(3)).p, nil, 1)
		put(arg(2), held{p: p})
	case "link":
		x := at(arg(2)).p
		set(a.h, x, &x.a, at(arg(3)).p)
	case "behind":
		put(arg(3), held{p: at(arg(2)).p.a})
	case "drop":
		delete(s.roots, a.name+" "+arg(2))
	case "isolate":
		n, err := strconv.Atoi(arg(3))
		require.NoError(s.t, err)
		a.h.OpenRegion(&a.c)
		var p *node
		for range n {
			p = newNode(a.h, &a.c, p, nil, 1)
		}
		a.h.CloseRegion(&a.c)
		put(arg(2), held{p: p})
	case "val", "future":
		s.pack(a, arg(2), func(f *Fragment, r *held) { f.ShareFrom(a.h, slot(&r.p)) })
		if words[1] == "future" {
			s.sent[""].f.Keep()
		}
		s.sent[arg(3)] = s.sent[""]
	case "copy":
		s.pack(a, arg(2), func(f *Fragment, r *held) { require.NoError(s.t, f.CopyFrom(a.h, slot(&r.p))) })
		s.sent[arg(3)] = s.sent[""]
	case "iso":
		before := at(arg(2)).p
		s.pack(a, arg(2), func(f *Fragment, r *held) { require.NoError(s.t, f.MoveFrom(a.h, slot(&r.p))) })
		delete(s.roots, a.name+" "+arg(2))
		if s.sent[""].p == before {
			s.printf("  moved\n")
		} else {
			s.printf("  copied\n")
		}
		s.sent[arg(3)] = s.sent[""]
	case "receive":
		m := s.sent[arg(2)]
		s.settleBefore(m.seq)
		a.h.Adopt(&a.c, m.f)
		delete(s.sent, arg(2))
		put(arg(3), m.held)
	case "read":
		f := s.sent[arg(2)]
		got := s.space.NewFragment()
		require.NoError(s.t, f.f.CopyTo(got, slot(&f.p)))
		a.h.Adopt(&a.c, got)
		put(arg(3), f.held)
	case "collect", "full":
		s.collectRoots(a, words[1] == "full")
	case "dies":
		for key := range s.roots {
			if strings.HasPrefix(key, a.name+" ") {
				delete(s.roots, key)
			}
		}
		a.h.Leave(&a.c)
		a.dead = true
	default:
		s.t.Fatalf("what is %q?", line)
	}
}

func (s *script) trace(a *member) func(*Tracer) {
	return func(t *Tracer) {
		for key, r := range s.roots {
			if strings.HasPrefix(key, a.name+" ") {
				t.Mark(*slot(&r.p))
			}
		}
	}
}

func (s *script) collectRoots(a *member, full bool) {
	if full {
		a.h.CollectFull(&a.c, s.trace(a))
	} else {
		a.h.Collect(&a.c, s.trace(a))
	}
	s.noteNotes(a)
	s.printf("  %s has %d bytes old\n", a.name, a.h.Stats().Old)
}

// all does what concerns no heap by name.
func (s *script) all(words []string) {
	switch words[0] {
	case "heaps":
		for _, name := range words[1:] {
			s.members = append(s.members, &member{name: name, h: New(s.space)})
		}
	case "free":
		m := s.sent[words[1]]
		s.settleBefore(m.seq)
		m.f.Free()
		delete(s.sent, words[1])
	case "deliver":
		for len(s.notes) > 0 {
			s.deliver(s.dice.IntN(len(s.notes)))
		}
	case "state":
		for _, a := range s.members {
			s.state(a)
		}
	default:
		s.t.Fatalf("what is %q?", words)
	}
}

func (s *script) state(a *member) {
	sh := a.h.shares
	if sh == nil {
		s.printf("  %s shares nothing\n", a.name)
		return
	}
	if !a.dead {
		a.h.Settle()
	}
	var lines []string
	for o, e := range sh.exported {
		lines = append(lines, fmt.Sprintf("  %s counts %s for %s\n", a.name, weight(e.count), s.name(o)))
	}
	for o, e := range sh.entries {
		lines = append(lines, fmt.Sprintf("  %s holds %s of %s.%s\n", a.name, weight(e.weight), s.heapName(sh.inboxes[e.source]), s.name(o)))
	}
	if lines == nil {
		lines = []string{fmt.Sprintf("  %s: nothing\n", a.name)}
	}
	slices.Sort(lines)
	s.printf("%s", strings.Join(lines, ""))
}

// runScript returns the transcript. The seed decides about the order of notes.
func runScript(t *testing.T, text string, seed uint64) string {
	s := &script{
		cluster: newCluster(t, Config{Poison: true, Verify: true}, 0, nil),
		roots:   map[string]held{}, sent: map[string]parcel{}, names: map[*node]string{}, dice: rand.New(rand.NewPCG(seed, 1)),
	}
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		s.printf("%s\n", line)
		if line == "" || line[0] == '#' {
			continue
		}
		func() {
			defer func() {
				if why := recover(); why != nil {
					text := fmt.Sprint(why)
					if i := strings.Index(text, " at 0x"); i >= 0 { // addresses differ
						text = text[:i] + text[i+strings.Index(text[i:], ","):]
					}
					s.printf("  error: %s\n", text)
				}
			}()
			s.step(line)
		}()
		delete(s.sent, "")
		for _, m := range s.sent {
			s.mail = append(s.mail, m)
		}
		s.mail, s.futures = nil, nil
		for _, m := range s.sent {
			if m.f.kept != nil {
				s.futures = append(s.futures, m)
			} else {
				s.mail = append(s.mail, m)
			}
		}
		require.NoError(t, s.ledger(), "after %q", line)
	}
	return s.out.String()
}

// TestScripts compares what heaps do that share with transcripts, whatever the order in which notes arrive.
func TestScripts(t *testing.T) {
	files, err := filepath.Glob("testdata/sharing/*.txt")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			require.NoError(t, err)
			var commands strings.Builder // a transcript has them, and what they do, indented
			for line := range strings.Lines(string(text)) {
				if !strings.HasPrefix(line, "  ") {
					commands.WriteString(line)
				}
			}
			for seed := range uint64(20) {
				got := runScript(t, commands.String(), seed)
				if *updateScripts && seed == 0 {
					require.NoError(t, os.WriteFile(file, []byte(got), 0o644))
					text = []byte(got)
				}
				require.Equal(t, string(text), got, "with notes in order %d", seed)
			}
		})
	}
}
