package goroutines

// channel is a mailbox that is a channel.
type channel struct {
	queue chan Message
	// unsent waits for room in the queues of others, in order: a sender that blocked while its own queue is full
	// could stop a whole ring of actors. Owner: the actor's goroutine.
	unsent []letter
}

type letter struct {
	to *Actor
	m  Message
}

func (c *channel) init(room int) { c.queue = make(chan Message, room) }

func (c *channel) send(to *Actor, m Message) {
	if len(c.unsent) == 0 { // or else it would overtake
		select {
		case to.queue <- m:
			return
		default:
		}
	}
	c.unsent = append(c.unsent, letter{to, m})
}

// receiveChannel is the actor's goroutine.
func (a *Actor) receiveChannel() {
	var m Message // one for all: a message that escaped each time would be garbage each time
	for {
		if len(a.unsent) == 0 {
			m = <-a.queue
			m.B.Run(a, &m)
			continue
		}
		first := &a.unsent[0]
		select {
		case first.to.queue <- first.m:
			if a.unsent = a.unsent[1:]; len(a.unsent) == 0 {
				a.unsent = nil
			}
		case m = <-a.queue:
			m.B.Run(a, &m)
		}
	}
}
