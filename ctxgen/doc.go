// Package ctxgen generates the Go code of actors and heap objects.
//
// # Terms
//
// An annotation is a comment //encore:actor, //encore:new, //encore:behaviour
// or //encore:object directly above a declaration. A behaviour is a method of
// an actor's state type that runs as a message; its first parameter is the cell
// of the execution context, cctx **rt.Ctx. //encore:actor mailbox=N bounds how
// many messages may wait for an actor before those who send more are held back
// (rt.Config.MailboxLimit); mailbox=unbounded lifts a bound. //encore:behaviour
// and //encore:new say how the heap objects of parameters go to the receiver:
// iso=tree val=config,log, and copied otherwise. The handle is the type by which
// others refer to an actor. A send is a method of the handle: Deposit is one
// way, AskDeposit returns a future. Both take *rt.Ctx, since they are leaves:
// they never park and never collect. A behaviour whose result is a
// futures.Future[T] forwards: those who ask it get a future of T, which is
// answered as that one is. An object is a struct that lives in an
// actor's heap; a heap pointer is a pointer to one, or a gc.Slice, gc.String,
// gc.Ref or gc.Array. The output is the one generated file of a package,
// <package>_encore.go.
//
// # Phases
//
// Generate does everything and writes nothing; Commit, Check and Diff compare
// its files with what is on disk, so that encorert gen, gen --check and gen
// --diff cannot disagree.
//
//   - load asks the go command for the packages and what they import.
//   - Pass 1 (scan) reads annotations from syntax alone, in the packages asked
//     for and in their dependencies in local modules. It cannot use types: the
//     source mentions handles that do not exist before the first run.
//   - Pass 2 (typecheck) type-checks with an overlay. In it a stub stands in
//     place of every output, which may be stale, broken or missing: it declares
//     the same handles, constructors, sends and setters, with types copied from
//     the source as text and bodies that panic. Then translate fills the types
//     in.
//   - The model (Package, Actor, Behaviour, Object, Type) is what both passes
//     make, and what a compiler builds itself.
//   - check reports everything that cannot be generated, at the positions that
//     the model carries; checkUses reports what the rest of the package, or one
//     that imports it, does with objects that Go allows and the collector of
//     their heap does not survive: &node{}, x.next = y. Both also run when pass 2
//     finds type errors, of which a fault in a declaration often is the cause.
//   - emit writes the file, one method per kind of declaration with a sample of
//     its output above it.
//
// An error ends the run after the phase that found it; a phase reports all that
// it finds. Errors are of type Errors.
//
// # For compilers
//
// A Program is a package built from Go values, bodies included: see
// docs/compilers.md. A Body is built statement by statement; lower turns it into
// Go statements that switch in one place at most, flow finds which heap pointers
// need frames and where the context is loaded, writer prints. Emit alone takes
// a Package whose bodies are Go methods in another file. No annotation, source
// file or go/types value is needed, and errors come back at the compiler's
// positions. A type is described only as far as the generator must know it: how
// it is written, whether it fits into a message, where heap pointers are in it.
// Raw is for everything else. Export and Import carry a package's shape to those
// that are compiled against it.
//
// # How a message carries its arguments
//
// An rt.Message has three words and two pointers. Integers, floats and bools
// take a word, strings a word and a pointer, Go pointers, handles, futures and
// promises a pointer; the second pointer of an ask is its promise. What does
// not fit goes into a pooled struct that the first pointer names. Heap objects
// go with a fragment: they are copied into it when they are sent, or shared or
// given away (Mode), and a frame holds them while the behaviour runs. See
// mode.go, layout.go and emit_args.go.
//
// # Names
//
// What users write (handles, constructors, sends, setters, Self) has fixed
// names, and a clash is an error. All other identifiers of the output are taken
// from a scope that knows what the package declares, what is generated and what
// is imported, and get a suffix when their name is taken. Parameters keep their
// names unless they would hide something that the body uses.
//
// # Reading order
//
// model.go, mode.go and type.go; generate.go, load.go, scan.go, typecheck.go, stub.go,
// translate.go; heap.go, check.go, names.go; objectuse.go, reference.go; layout.go, emit.go,
// emit_actor.go, emit_behaviour.go, emit_run.go. For compilers: program.go, function.go, expression.go, body.go; lower.go,
// flow.go, writer.go; export.go.
//
// # Rejected designs
//
// Leaving the old output out of the build by a tag, as some generators do: then
// whatever mentions a handle does not type-check, and the tag line itself can
// be broken. Type-checking without the output and ignoring "undefined" errors:
// a handle in a parameter then has an invalid type, and a typing error is not
// told from a missing declaration. Running generation twice, first with dummy
// output on disk: an interrupted run leaves the dummy, and two packages that
// use each other's handles need an order that may not exist.
//
// Templates instead of an emitter: imports are conditional, and names of
// packages depend on what else is in the file.
//
// One dispatch function with a switch over message numbers: a message carries
// its behaviour's descriptor anyway, for reports. The descriptors' functions are set in init, not in their initialisers:
// a behaviour that sends would make an initialisation cycle.
package ctxgen
