/* GCBench (Boehm, Ellis, Kovac) in C with Boehm's collector (libgc), as a peer of `encorert bench gcbench`.
 *
 * Build: cc -O2 gcbench.c -lgc -lpthread
 *
 * Arguments: stretch depth, long-lived depth, doubles in the array, least and greatest depth of short-lived
 * trees, threads that do the whole job at once. Each line on stdin asks for one repetition, which is answered
 * with one line on stdout: {"ms":244.0,"count":15333862}. count is the number of nodes, counted where they
 * are constructed. The check of what was kept is not timed. */

#define GC_THREADS
#define _POSIX_C_SOURCE 200809L
#include <gc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct node {
	struct node *left, *right;
	int i, j;
};

static int stretch_depth, long_depth, array_size, min_depth, max_depth;

struct job {
	long long nodes; /* constructed so far */
	struct node *kept;
	double *array;
	struct node *volatile last; /* the newest short-lived tree: its construction cannot be optimised away */
};

static void *allocated(void *p) {
	if (p == NULL) {
		fputs("out of memory\n", stderr);
		exit(1);
	}
	return p;
}

static struct node *new_node(struct job *b, struct node *left, struct node *right) {
	struct node *n = allocated(GC_MALLOC(sizeof *n)); /* cleared by the collector */
	b->nodes++;
	n->left = left;
	n->right = right;
	return n;
}

static long long tree_size(int depth) { return (1LL << (depth + 1)) - 1; }

static long long iterations(int depth) { return 2 * tree_size(stretch_depth) / tree_size(depth); }

static void populate(struct job *b, int depth, struct node *n) {
	if (depth <= 0)
		return;
	depth--;
	n->left = new_node(b, NULL, NULL);
	n->right = new_node(b, NULL, NULL);
	populate(b, depth, n->left);
	populate(b, depth, n->right);
}

static struct node *make_tree(struct job *b, int depth) {
	struct node *left, *right;
	if (depth <= 0)
		return new_node(b, NULL, NULL);
	left = make_tree(b, depth - 1);
	right = make_tree(b, depth - 1);
	return new_node(b, left, right);
}

static void *run(void *arg) {
	struct job *b = arg;
	b->last = make_tree(b, stretch_depth);
	b->last = NULL;
	b->kept = new_node(b, NULL, NULL);
	populate(b, long_depth, b->kept);
	b->array = allocated(GC_MALLOC_ATOMIC(sizeof(double) * (size_t)array_size));
	memset(b->array, 0, sizeof(double) * (size_t)array_size);
	for (int i = 1; i < array_size / 2; i++)
		b->array[i] = 1.0 / i;
	for (int d = min_depth; d <= max_depth; d += 2) {
		long long n = iterations(d);
		for (long long k = 0; k < n; k++) {
			struct node *root = new_node(b, NULL, NULL);
			b->last = root;
			populate(b, d, root);
		}
		for (long long k = 0; k < n; k++)
			b->last = make_tree(b, d);
		b->last = NULL;
	}
	return NULL;
}

static long long size(const struct node *n) { return n == NULL ? 0 : 1 + size(n->left) + size(n->right); }

static void check(const struct job *b) {
	if (size(b->kept) != tree_size(long_depth)) {
		fprintf(stderr, "the long-lived tree has %lld nodes instead of %lld\n", size(b->kept), tree_size(long_depth));
		exit(1);
	}
	for (int i = 0; i < array_size; i++) {
		double want = i >= 1 && i < array_size / 2 ? 1.0 / i : 0;
		if (b->array[i] != want) {
			fprintf(stderr, "element %d of the array is %g instead of %g\n", i, b->array[i], want);
			exit(1);
		}
	}
}

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void repetition(int threads) {
	struct job *jobs = allocated(GC_MALLOC(sizeof *jobs * (size_t)threads));
	pthread_t *running = allocated(GC_MALLOC(sizeof *running * (size_t)threads));
	long long count = 0;
	double start = now(), ms;
	if (threads == 1) {
		run(&jobs[0]);
	} else {
		for (int k = 0; k < threads; k++)
			if (pthread_create(&running[k], NULL, run, &jobs[k]) != 0) {
				fputs("no thread\n", stderr);
				exit(1);
			}
		for (int k = 0; k < threads; k++)
			pthread_join(running[k], NULL);
	}
	ms = now() - start;
	for (int k = 0; k < threads; k++) {
		check(&jobs[k]);
		count += jobs[k].nodes;
	}
	printf("{\"ms\":%.4f,\"count\":%lld}\n", ms, count);
	fflush(stdout);
}

int main(int argc, char **argv) {
	char line[256];
	if (argc != 7) {
		fputs("usage: gcbench stretch-depth long-depth array min-depth max-depth threads\n", stderr);
		return 2;
	}
	stretch_depth = atoi(argv[1]);
	long_depth = atoi(argv[2]);
	array_size = atoi(argv[3]);
	min_depth = atoi(argv[4]);
	max_depth = atoi(argv[5]);
	GC_INIT();
	while (fgets(line, sizeof line, stdin) != NULL)
		repetition(atoi(argv[6]));
	return 0;
}
