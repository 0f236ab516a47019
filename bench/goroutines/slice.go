package goroutines

import "sync"

// slice is a mailbox that is a slice guarded by a mutex.
type slice struct {
	mu      sync.Mutex
	waiting []Message     // guarded by mu
	asleep  bool          // guarded by mu
	wake    chan struct{} // holds one token once somebody found the actor asleep
}

func (s *slice) init() { s.wake = make(chan struct{}, 1) }

func (s *slice) push(m Message) {
	s.mu.Lock()
	s.waiting = append(s.waiting, m)
	asleep := s.asleep
	s.asleep = false
	s.mu.Unlock()
	if asleep {
		s.wake <- struct{}{} // never blocks: the actor took the token before
	}
}

// take swaps out all that waits, and sleeps until something does. spare becomes the next buffer.
func (s *slice) take(spare []Message) []Message {
	s.mu.Lock()
	for len(s.waiting) == 0 {
		s.asleep = true
		s.mu.Unlock()
		<-s.wake
		s.mu.Lock()
	}
	batch := s.waiting
	s.waiting = spare[:0]
	s.mu.Unlock()
	return batch
}

// receiveSlice is the actor's goroutine.
func (a *Actor) receiveSlice() {
	var batch []Message
	for {
		batch = a.take(batch)
		for i := range batch {
			m := &batch[i]
			m.B.Run(a, m)
		}
	}
}
