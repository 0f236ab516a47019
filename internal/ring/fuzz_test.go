package ring_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/encorert/encorert/internal/ring"
)

// reference does what a ring does, by maps and slices, one step at a time.
type reference struct {
	capacity, every uint64
	tasks           map[uint64]*ring.Entry // published and not freed
	epochs          map[uint64]bool        // marked and not reached
	first, next     uint64                 // counted from 0: ids are base + these
	base            uint64
}

// free moves the horizon to the newest epoch all before which have ended.
func (m *reference) free() (moved bool) {
	for p := m.first + 1; p <= m.next; p++ {
		e := m.tasks[m.base+p-1]
		if e == nil || e.State < ring.Ended {
			break
		}
		if m.epochs[p] {
			for ; m.first < p; m.first++ {
				delete(m.tasks, m.base+m.first)
			}
			delete(m.epochs, p)
			moved = true
		}
	}
	return moved
}

func (m *reference) newest() uint64 {
	newest := m.first
	for e := range m.epochs {
		newest = max(newest, e)
	}
	return newest
}

// FuzzRing gives a ring and a reference the same commands: what they answer must be the same after each.
func FuzzRing(f *testing.F) {
	f.Add([]byte{3, 0, 0, 1, 0, 2, 0, 3, 4, 0, 7, 1, 2})
	f.Add([]byte{1, 1, 200, 0, 0, 3, 0, 0, 0, 3, 0, 0, 0, 3, 0})
	f.Add([]byte{4, 2, 255, 8, 16, 24, 3, 11, 19, 4, 5, 0, 8, 6})
	f.Add([]byte{7, 3, 254, 48, 1, 9, 17, 3, 11, 4, 19, 27, 5, 35, 43, 48, 6, 14})
	f.Fuzz(func(t *testing.T, commands []byte) {
		if len(commands) < 3 {
			return
		}
		capacity, every := int(commands[0]%9)+1, int(commands[1]%4)
		base := uint64(math.MaxUint64) - uint64(commands[2]%16) // soon over the wrap
		r := ring.New(capacity, every, base)
		m := &reference{capacity: uint64(capacity), every: uint64(every), tasks: map[uint64]*ring.Entry{}, epochs: map[uint64]bool{}, base: base}
		var reserved []uint64 // and not published
		for _, c := range commands[3:] {
			arg := uint64(c >> 3)
			switch c % 8 {
			case 0: // reserve
				n := arg%m.capacity + 1
				id, horizon, ok := r.Reserve(int(n))
				fits := m.next-m.first+n <= m.capacity
				require.Equal(t, fits, ok)
				if !ok {
					require.Equal(t, base+m.first, horizon)
					newest := m.newest()
					require.Equal(t, newest > m.first && m.next-newest+n <= m.capacity, r.CanFree(int(n), horizon))
					break
				}
				require.Equal(t, base+m.next, id)
				for i := range n {
					reserved = append(reserved, id+i)
					m.next++
					if m.every != 0 && (base+m.next)%m.every == 0 {
						m.epochs[m.next] = true
					}
				}
				if m.every != 0 && m.every&(m.every-1) != 0 && base+m.next < base {
					return // epochs of such a distance are elsewhere after the wrap
				}
			case 1: // publish
				if len(reserved) == 0 {
					break
				}
				at := arg % uint64(len(reserved))
				id := reserved[at]
				reserved = append(reserved[:at], reserved[at+1:]...)
				label := "label"[:arg%6]
				r.Publish(id, label, arg)
				m.tasks[id] = &ring.Entry{ID: id, State: ring.Queued, Label: label, Born: arg}
			case 2, 3: // begin and end
				id := base + m.first + arg%m.capacity
				e := m.tasks[id]
				if e == nil || e.State >= ring.Ended {
					break
				}
				if c%8 == 2 {
					if e.State == ring.Queued {
						r.Begin(id)
						e.State = ring.Running
					}
					break
				}
				e.State = ring.Ended
				if arg%2 == 1 {
					e.State = ring.Failed
				}
				require.Equal(t, m.free(), r.End(id, arg%2 == 1))
			case 4: // mark
				epoch, moved := r.Mark()
				require.Equal(t, base+m.next, epoch)
				if m.next > m.first {
					m.epochs[m.next] = true
				}
				require.Equal(t, m.free(), moved)
			case 5: // mark what has ended
				n := arg%m.capacity + 1
				low := m.first
				for e := m.tasks[base+low]; e != nil && e.State >= ring.Ended; e = m.tasks[base+low] {
					low++
				}
				want := m.next-low+n <= m.capacity && low > m.first
				if want {
					m.epochs[low] = true
					require.True(t, m.free())
				}
				require.Equal(t, want, r.MarkEnded(int(n)))
			case 6: // look up, also what was freed and what does not exist
				id := base + m.first + arg - 12
				e, found := r.LookUp(id)
				want := m.tasks[id]
				require.Equal(t, want != nil, found, "id %#x", id)
				if found {
					require.Equal(t, *want, e)
				}
			default:
				n := arg%m.capacity + 1
				require.Equal(t, m.next-m.first+n <= m.capacity, r.Room(int(n)))
				require.Equal(t, base+m.first, r.Horizon())
				require.True(t, r.Reached(base+m.first))
				require.False(t, r.Reached(base+m.first+1))
			}
		}
	})
}
