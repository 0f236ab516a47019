package mailbox

// Pressed is the bit of the home word that tells senders to hold back: the actor has more messages than its limit, or
// handles none because it is held back itself. It lies above all numbers of workers, so that a sender on the home worker,
// who compares the word with his own number, notices it without a further look.
//
//	bit | meaning              | who   | to
//	----+----------------------+-------+------------------------------------------------------------------------
//	0   | senders go on        | owner | 1 (Press; makeRoom, when a message comes that is one too many)
//	1   | senders hold back    | owner | 0 (Ease)
//
// Only the owner writes the word, so plain loads and stores of it do; SetHome and GiveUpHome keep the bit. Nobody owns
// an actor that is held back: its bit stays until it is owned again. An idle actor's bit is never set.
const Pressed = 1 << 31

// SetLimit makes more than n waiting messages a reason for pressure. REQUIRES: the caller has made the box, nobody else
// has seen it, and n is not 0.
func (b *Box[M]) SetLimit(n uint32) { b.limit = n }

// Limit returns what SetLimit has set, or 0.
func (b *Box[M]) Limit() int { return int(b.limit) }

// IsPressed reports the bit. From anywhere.
func (b *Box[M]) IsPressed() bool { return b.home.Load()&Pressed != 0 }

// Press sets the bit. REQUIRES: the caller owns the actor. Pairs with the Load in Home and IsPressed.
func (b *Box[M]) Press() {
	b.home.Store(b.home.Load() | Pressed)
	b.local.room = uint32(len(b.local.buf))
}

// Ease clears the bit. REQUIRES: the caller owns the actor. Pairs with the Load in Home and IsPressed.
func (b *Box[M]) Ease() {
	b.home.Store(b.home.Load() &^ Pressed)
	b.setRoom()
}

// Waiting moves over what is in the remote part and says how many messages wait. REQUIRES: the caller owns the actor.
func (b *Box[M]) Waiting(p *Pool[M]) int {
	if b.head.Load() != nil || b.late != nil {
		b.drain(p)
	}
	return b.local.len()
}

// makeRoom is called before a push to a local part that has no room: it is at its limit, or its buffer is full.
func (b *Box[M]) makeRoom(p *Pool[M]) {
	if b.limit != 0 && b.local.len() >= int(b.limit) && !b.IsPressed() {
		b.Press()
		if !b.local.full() {
			return
		}
	}
	b.grow(p)
	if b.limit != 0 {
		b.setRoom()
	}
}

// setRoom makes the push that is one too many ask for room.
func (b *Box[M]) setRoom() {
	room := len(b.local.buf)
	if b.limit != 0 && !b.IsPressed() {
		room = min(room, max(int(b.limit), b.local.len()))
	}
	b.local.room = uint32(room)
}
