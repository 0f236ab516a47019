/*
 * How workers sleep, how they are woken, and how the end of a run is found: packages internal/park and internal/runq,
 * rt/find.go, rt/worker.go, rt/run.go. README.md beside this file has the table from functions to inlines, what is left
 * out, and how to run it. One d_step or atomic is one access to shared memory, or one critical section of the lot's lock.
 *
 * Sizes, by -D: N workers; F goroutines outside that each push PUSHES times; HELD: they hold the run open (1 from the
 * start, 2 from a behaviour on); RUNS callers of Run; SENDS by behaviours; PINS handovers to one worker; SLOTS of a
 * shared queue; STOP: the runtime is closed at some time; TICK: find may look at inject and shared first; LIVE: the
 * formula that every run ends. Everything else that is tested with #ifdef is a seeded fault, but for RMW_LOOK.
 */
#ifndef N
#define N 2
#endif
#ifndef F
#define F 1
#endif
#ifndef PUSHES
#define PUSHES 1
#endif
#ifndef HELD
#define HELD 0
#endif
#ifndef RUNS
#define RUNS 0
#endif
#ifndef SENDS
#define SENDS 0
#endif
#ifndef PINS
#define PINS 0
#endif
#ifndef SLOTS
#define SLOTS 4
#endif
#ifndef STOP
#define STOP 0
#endif
#ifndef TICK
#define TICK 0
#endif

#define PLAIN    1 /* roles of a permit; 0: there is none */
#define SEARCHER 2

#define ALL    ((1 << N) - 1)
#define BIT(w) (1 << (w))

/* The lot. What its lock guards is changed in one step each; mu is held over several only by check_quiet. */
byte announced;   /* Lot.asleep, and the upper half of counts: a set, since which sleeper is woken must not matter */
byte searching;   /* the lower half of counts */
byte permit[N];   /* Lot.permits: channels of one */
bit  mu;          /* Lot.mu */

/* Queues, as numbers of actors. The private ones are local to Worker. */
byte inject;
byte shared[N];
byte pinned[N];
byte buffer[N];   /* stores to shared[w] that only w sees yet: its store buffer. Used where pushes are plain */

/* The run. */
#if HELD == 1
byte holds = F;
#else
byte holds;
#endif
bit  stopping;
#if STOP
byte running = N; /* workers */
#endif
bit  rtmu;        /* Runtime.mu */
byte registered;  /* Runtime.quiet: set of callers */
byte told;        /* callers of Run that were told of the end */

/* What is left to happen. */
byte sends = SENDS;
byte pins = PINS;
#if HELD == 2
byte started;     /* goroutines outside that may begin */
#else
byte started = F;
#endif

/* Ghosts: the model's book-keeping, which nobody decides by. */
#if HELD == 1
byte due = F;
#else
byte due;         /* actors that are queued or run, registered mains, holders from outside */
#endif
byte loose;       /* actors pushed without a hold whose pusher has not woken anybody yet */
byte waiting;     /* workers in Sleep without a permit */
byte busy = N;    /* processes, and store buffers, that go on by themselves: not those that run a behaviour, are in
                     waiting, or have not begun */
bit  stopped;     /* stop has returned */

#if N == 1
#define SHARED   (shared[0])
#define PINNED   (pinned[0])
#define ASTRAY   (pinned[0] && (waiting & 1))
#elif N == 2
#define SHARED   (shared[0] + shared[1])
#define PINNED   (pinned[0] + pinned[1])
#define ASTRAY   (pinned[0] && (waiting & 1) || pinned[1] && (waiting & 2))
#else
#define SHARED   (shared[0] + shared[1] + shared[2])
#define PINNED   (pinned[0] + pinned[1] + pinned[2])
#define ASTRAY   (pinned[0] && (waiting & 1) || pinned[1] && (waiting & 2) || pinned[2] && (waiting & 4))
#endif

/* A process stops going on by itself. If it is the last, nothing but the end or a send of a running behaviour, or a
 * new push from outside, can change anything: then no worker may sleep beside work. */
inline settle() {
	busy--;
	if
	:: busy == 0 ->
		assert(!(waiting && inject + SHARED));  /* a core asleep beside work that it may take; all asleep: lost */
		assert(!ASTRAY);                        /* a pinned actor beside its worker that sleeps */
		assert(searching == 0);                 /* nobody searches, but the count says so: nobody is ever woken */
		assert(!(stopped && waiting))           /* a worker that was not told to stop */
	:: else
	fi
}

/* --- internal/park --- */

/* A read-modify-write, or a lock, of worker w: what it has stored is visible from here on. */
inline flush(w) {
#ifdef PLAIN_PUSH
	if
	:: buffer[w] > 0 -> shared[w] = shared[w] + buffer[w]; buffer[w] = 0; busy--
	:: else
	fi
#else
	skip
#endif
}

inline grant(w, role) {
#ifndef WAKE_KEEPS_ANNOUNCEMENT
	announced = announced & ~BIT(w);
#endif
	if
#ifdef PERMIT_NOT_KEPT
	:: !(waiting & BIT(w)) -> skip
#endif
	:: else ->
		assert(permit[w] == 0); /* the send under mu never waits */
		permit[w] = role;
		if
		:: waiting & BIT(w) -> waiting = waiting & ~BIT(w); busy++
		:: else
		fi
	fi
}

inline begin_search(w) {
#ifdef BEGIN_SEARCH_STORES
	d_step { mine = (searching == 0) };
	if
	:: mine -> d_step { flush(w); searching++; assert(searching <= 1) }
	:: else
	fi
#else
	d_step {
		flush(w);
		if
		:: searching == 0 -> searching = 1; mine = 1
		:: else
		fi
	}
#endif
}

inline end_search(w) {
	d_step { flush(w); assert(searching == 1); searching--; mine = 0 }
}

inline announce(w) {
	d_step { mu == 0 -> flush(w); assert(!(announced & BIT(w)) && permit[w] == 0); announced = announced | BIT(w) }
}

/* Leaves the role in mine. */
inline retract(w) {
	d_step {
		mu == 0 ->
		flush(w);
		mine = 0;
		if
		:: announced & BIT(w) -> announced = announced & ~BIT(w)
		:: else ->
#ifndef RETRACT_FORGETS_PERMIT
			assert(permit[w] != 0);
			mine = (permit[w] == SEARCHER);
			permit[w] = 0
#endif
		fi
	}
}

#ifdef WAKE_IGNORES_SEARCHER
#define MAYWAKE (announced)
#else
#define MAYWAKE (announced && !searching)
#endif

#ifdef WAKE_TRYLOCK
#define LOCKED  1
#define MAYLOCK (mu == 0)
#else
#define LOCKED  (mu == 0)
#define MAYLOCK 1
#endif

#ifdef PLAIN_PUSH
#define FLUSH(w) if :: w < N -> flush(w) :: else fi;
#else
#define FLUSH(w)
#endif

/* w is N where the caller is no worker: it has stored nothing plainly. */
inline wake_one(w) {
#ifdef RMW_LOOK
	d_step { FLUSH(w) skip };
#endif
	if
	:: MAYWAKE -> /* the look without the lock */
		atomic {
			LOCKED ->
			FLUSH(w)
			if
			:: MAYLOCK && MAYWAKE ->
				searching++;
				assert(searching <= 1);
				if
				:: announced & 1 -> grant(0, SEARCHER)
#if N > 1
				:: announced & 2 -> grant(1, SEARCHER)
#endif
#if N > 2
				:: announced & 4 -> grant(2, SEARCHER)
#endif
				fi
			:: else
			fi
		}
	:: else
	fi
}

inline wake_worker(w, to) {
	d_step {
		mu == 0 ->
		flush(w);
		if
		:: announced & BIT(to) -> grant(to, PLAIN)
		:: else
		fi
	}
}

inline wake_all() {
	d_step {
		mu == 0 ->
		if
		:: announced & 1 -> grant(0, PLAIN)
		:: else
		fi;
#if N > 1
		if
		:: announced & 2 -> grant(1, PLAIN)
		:: else
		fi;
#endif
#if N > 2
		if
		:: announced & 4 -> grant(2, PLAIN)
		:: else
		fi
#endif
	}
}

/* --- rt/run.go --- */

/* anythingDue; leaves the answer in look. Queues are looked at in one step: while all are announced, workers change
 * none, and inject only grows. */
inline anything_due() {
#ifdef QUIET_IGNORES_HOLDS
	look = 0;
#else
	d_step { look = (holds > 0) };
#endif
	if
	:: look
	:: else -> d_step {
#ifdef QUIET_IGNORES_INJECT
		look = (SHARED + PINNED > 0)
#elif defined(QUIET_IGNORES_PINNED)
		look = (inject + SHARED > 0)
#else
		look = (inject + SHARED + PINNED > 0)
#endif
	}
	fi
}

#ifdef QUIET_WITHOUT_LOCK
#define HOLDMU 0
#else
#define HOLDMU 1
#endif

inline check_quiet() {
	d_step { mu == 0 -> look = (announced == ALL); mu = look && HOLDMU };
	if
	:: look ->
		anything_due();
		if
		:: !look ->
			d_step { rtmu == 0 -> rtmu = 1; look = (registered == 0) };
#ifndef QUIET_TELLS_LATECOMERS
			if
			:: look
			:: else -> anything_due()
			fi;
#endif
			d_step {
				if
				:: look
				:: else ->
					assert(due <= loose); /* the end is told too early */
					told = told | registered;
					registered = 0
				fi;
				rtmu = 0; mu = 0; look = 0
			}
		:: else -> d_step { mu = 0; look = 0 }
		fi
	:: else
	fi
}

/* Hold.Release by a caller of Run, or by who held from outside (n is what it counted for in due). */
inline release(n) {
	d_step { holds--; due = due - n; look = (holds == 0) };
#ifndef RELEASE_DOES_NOT_LOOK
	if
	:: look -> look = 0; check_quiet()
	:: else
	fi
#endif
}

/* --- rt/worker.go, rt/find.go --- */

inline share() {
	d_step {
		if
		:: shared[_pid] + buffer[_pid] >= SLOTS -> flush(_pid); inject++
		:: else ->
#ifdef PLAIN_PUSH
			if
			:: buffer[_pid] == 0 -> busy++
			:: else
			fi;
			buffer[_pid]++
#else
			shared[_pid]++ /* a sequentially consistent store */
#endif
		fi
	};
#ifndef SHARE_DOES_NOT_WAKE
	wake_one(_pid)
#endif
}

#define HUNGRY (announced || searching)

#define SEEN(w) (shared[w] + (w == _pid -> buffer[w] : 0) > 0)

/* anyShared; leaves the answer in look. One queue a step. */
inline any_shared() {
	if
	:: inject > 0 -> look = 1
	:: else ->
		if
		:: SEEN(0) -> look = 1
		:: else
#if N > 1
			->
			if
			:: SEEN(1) -> look = 1
			:: else
#if N > 2
				->
				if
				:: SEEN(2) -> look = 1
				:: else
				fi
#endif
			fi
#endif
		fi
	fi
}

inline pop_shared() {
	d_step {
		if
		:: shared[_pid] + buffer[_pid] > 0 -> flush(_pid); shared[_pid]--; got = 1
		:: else
		fi
	}
}

inline pop_inject() {
	d_step {
		if
		:: inject > 0 -> flush(_pid); inject--; got = 1
		:: else
		fi
	}
}

inline take() {
#if TICK
	if
	:: pop_inject();
		if
		:: got
		:: else -> pop_shared()
		fi
	:: skip
	fi;
#endif
#if PINS
	if
	:: got
	:: else -> d_step {
		if
		:: pinned[_pid] > 0 -> flush(_pid); pinned[_pid]--; got = 1
		:: else
		fi
	}
	fi;
#endif
	if
	:: got
	:: !got && private > 0 -> private--; got = 1
	:: else -> pop_shared()
	fi;
	if
	:: got
	:: else -> pop_inject()
	fi
}

/* One victim: half of what is there, the rest of it into the thief's own queue. */
inline steal(v) {
	d_step {
		loot = shared[v] - shared[v] / 2;
		shared[v] = shared[v] - loot;
		if
		:: loot -> got = 1; loot--
		:: else
		fi
	};
	do
	:: loot > 0 -> d_step { assert(shared[_pid] + buffer[_pid] < SLOTS); shared[_pid]++; loot-- } /* ours was empty */
	:: else -> break
	od
}

/* One round; more of them can only find what the last look finds as well. */
inline search() {
#if N == 2
	steal(1 - _pid);
#elif N == 3
	if
	:: i = 1
	:: i = 2
	fi;
	steal((_pid + i) % 3);
	if
	:: got
	:: else -> steal((_pid + 3 - i) % 3)
	fi;
	i = 0;
#endif
	if
	:: got
	:: else -> pop_inject()
	fi
}

inline found_while_searching() {
	if
	:: mine ->
#ifdef NO_SECOND_LOOK_AFTER_ENDSEARCH
		any_shared();
		end_search(_pid);
#else
		end_search(_pid);
		any_shared();
#endif
#ifdef NO_WAKE_NEXT
		look = 0;
#endif
		if
		:: look -> look = 0; wake_one(_pid)
		:: else
		fi
	:: else
	fi
}

inline last_look() {
	look = 0;
#if STOP && !defined(LAST_LOOK_SKIPS_STOP)
	d_step { look = stopping };
#endif
#if PINS && !defined(LAST_LOOK_SKIPS_PINNED)
	if
	:: look
	:: else -> d_step { look = (pinned[_pid] > 0) }
	fi;
#endif
#ifndef DROP_LAST_LOOK
	if
	:: look
	:: else -> any_shared()
	fi
#endif
}

inline sleep() {
	assert(private == 0);
#ifdef ENDSEARCH_AFTER_LAST_LOOK
	announce(_pid);
	last_look();
	if
	:: mine -> end_search(_pid)
	:: else
	fi;
#else
	if
	:: mine -> end_search(_pid)
	:: else
	fi;
	announce(_pid);
	last_look();
#endif
	if
	:: look ->
		look = 0;
		retract(_pid);
#ifndef LAST_LOOK_DOES_NOT_SEARCH
		if
		:: mine
		:: else -> begin_search(_pid)
		fi
#endif
	:: else ->
#ifndef WORKERS_DO_NOT_LOOK_FOR_THE_END
		check_quiet();
#endif
		d_step {
			if
			:: permit[_pid] == 0 -> waiting = waiting | BIT(_pid); settle()
			:: else
			fi
		};
end_asleep:
		d_step {
			permit[_pid] != 0 ->
#ifndef PERMIT_ROLE_FORGOTTEN
			mine = (permit[_pid] == SEARCHER);
#endif
			permit[_pid] = 0
		}
	fi
}

/* A behaviour runs, for how long nobody knows. */
inline behave() {
	got = 0;
	d_step { settle() };
	do
#if SENDS
	:: d_step { sends > 0 -> busy++; sends--; due++; look = (private > 0 && HUNGRY) }; /* enqueue */
		if
		:: look -> look = 0; share()
		:: else -> private++
		fi;
		d_step { settle() }
	:: d_step { private > 0 && HUNGRY && shared[_pid] + buffer[_pid] == 0 -> busy++; private-- }; /* feed */
		share();
		d_step { settle() }
#endif
#if PINS
	:: d_step { pins > 0 -> busy++; pins--; pinned[(_pid + 1) % N]++ }; /* handTo, pin */
#ifndef PIN_DOES_NOT_WAKE
		wake_worker(_pid, (_pid + 1) % N);
#endif
		break
#endif
#if HELD == 2
	:: d_step { started < F -> holds++; due++; started++ }
#endif
	:: d_step { busy++; due-- }; break
	od
}

active [N] proctype Worker() {
	bit got, mine, look; /* mine: worker.searching */
	byte private, loot, i;
	do
	::
#if STOP
		d_step { look = stopping };
		if
		:: look -> break
		:: else
		fi;
#endif
		take();
		if
		:: got || mine
		:: else -> begin_search(_pid)
		fi;
		if
		:: !got && mine -> search()
		:: else
		fi;
		if
		:: got -> found_while_searching(); behave()
		:: else -> sleep()
		fi
	od;
#if STOP
	if
	:: mine -> end_search(_pid)
	:: else
	fi;
	d_step { running--; settle() }
#endif
}

/* --- outside --- */

/* Runtime.start, as of Do and Run: n is what it adds to due, free is 1 for a push without a hold. */
inline start(n, free) {
#ifdef WAKE_BEFORE_PUSH
	wake_one(N);
	d_step { due = due + n; loose = loose + free; inject++ };
#else
	d_step { due = due + n; loose = loose + free; inject++ };
	wake_one(N);
#endif
}

#if F
active [F] proctype Foreign() {
	bit look;
	byte left = PUSHES;
end_idle:
	do
	:: d_step { left > 0 && started > _pid - N -> busy++ };
		start(1, !HELD);
		left--;
#if HELD
		if
		:: left == 0 -> release(1)
		:: else
		fi;
#endif
		d_step { loose = loose - !HELD; settle() }
	:: left == 0 -> break
	od
}
#endif

#if RUNS
active [RUNS] proctype Caller() {
	bit look;
	d_step {
		busy++;
#ifndef RUN_WITHOUT_HOLD
		holds++
#endif
	};
	d_step { rtmu == 0 -> registered = registered | BIT(_pid - N - F); due++ };
	start(0, 0);
#ifndef RUN_WITHOUT_HOLD
	release(0);
#endif
	d_step { settle() };
	(told & BIT(_pid - N - F)) || stopping
}
#endif

#if STOP
active proctype Closer() {
#ifdef STOP_WAKES_BEFORE_FLAG
	d_step { busy++ };
	wake_all();
	d_step { rtmu == 0 -> stopping = 1 };
#else
	d_step { rtmu == 0 -> busy++; stopping = 1 };
	wake_all();
#endif
	d_step { stopped = 1; settle() };
	running == 0
}
#endif

#ifdef PLAIN_PUSH
/* Store buffers drain when they like. */
active proctype Memory() {
	byte w;
end:
	do
	:: atomic {
		if
		:: buffer[0] > 0 -> w = 0
#if N > 1
		:: buffer[1] > 0 -> w = 1
#endif
#if N > 2
		:: buffer[2] > 0 -> w = 2
#endif
		fi;
		shared[w]++;
		buffer[w]--;
		if
		:: buffer[w] == 0 -> settle()
		:: else
		fi;
		w = 0
	}
	od
}
#endif

#ifdef LIVE
#if STOP
ltl ends { <> (running == 0) }
#else
ltl ends { <> (told == (1 << RUNS) - 1) }
#endif
#endif
