// GCBench (Boehm, Ellis, Kovac) for the Java virtual machine, as a peer of `encorert bench gcbench`.
//
// Arguments: stretch depth, long-lived depth, doubles in the array, least and greatest depth of short-lived
// trees, threads that do the whole job at once. Each line on stdin asks for one repetition, which is answered
// with one line on stdout: {"ms":48.1,"count":15333862}. count is the number of nodes, counted where they are
// constructed. The check of what was kept is not timed.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.util.Locale;

public final class GCBench implements Runnable {
    static final class Node {
        Node left, right;
        int i, j;

        Node() {}

        Node(Node left, Node right) {
            this.left = left;
            this.right = right;
        }
    }

    static int stretchDepth, longDepth, arraySize, minDepth, maxDepth;

    private long nodes; // constructed so far
    private Node kept;
    private double[] array;
    private Node last; // the newest short-lived tree: its construction cannot be optimised away

    static long treeSize(int depth) {
        return (1L << (depth + 1)) - 1;
    }

    static long iterations(int depth) {
        return 2 * treeSize(stretchDepth) / treeSize(depth);
    }

    private void populate(int depth, Node n) {
        if (depth <= 0) {
            return;
        }
        depth--;
        nodes++;
        n.left = new Node();
        nodes++;
        n.right = new Node();
        populate(depth, n.left);
        populate(depth, n.right);
    }

    private Node makeTree(int depth) {
        if (depth <= 0) {
            nodes++;
            return new Node();
        }
        Node left = makeTree(depth - 1);
        Node right = makeTree(depth - 1);
        nodes++;
        return new Node(left, right);
    }

    private void shortLived(int depth) {
        long n = iterations(depth);
        for (long k = 0; k < n; k++) {
            nodes++;
            last = new Node();
            populate(depth, last);
        }
        for (long k = 0; k < n; k++) {
            last = makeTree(depth);
        }
        last = null;
    }

    @Override
    public void run() {
        last = makeTree(stretchDepth);
        last = null;
        nodes++;
        kept = new Node();
        populate(longDepth, kept);
        array = new double[arraySize];
        for (int i = 1; i < arraySize / 2; i++) {
            array[i] = 1.0 / i;
        }
        for (int d = minDepth; d <= maxDepth; d += 2) {
            shortLived(d);
        }
    }

    private static long size(Node n) {
        return n == null ? 0 : 1 + size(n.left) + size(n.right);
    }

    private void check() {
        if (size(kept) != treeSize(longDepth)) {
            throw new IllegalStateException("the long-lived tree has " + size(kept) + " nodes instead of " + treeSize(longDepth));
        }
        for (int i = 0; i < arraySize; i++) {
            double want = i >= 1 && i < arraySize / 2 ? 1.0 / i : 0;
            if (array[i] != want) {
                throw new IllegalStateException("element " + i + " of the array is " + array[i] + " instead of " + want);
            }
        }
    }

    private static void repetition(int threads) throws InterruptedException {
        GCBench[] jobs = new GCBench[threads];
        Thread[] running = new Thread[threads];
        boolean[] failed = new boolean[1];
        for (int k = 0; k < threads; k++) {
            jobs[k] = new GCBench();
            running[k] = new Thread(jobs[k]);
            running[k].setUncaughtExceptionHandler((thread, e) -> {
                e.printStackTrace();
                synchronized (failed) {
                    failed[0] = true;
                }
            });
        }
        long start = System.nanoTime();
        if (threads == 1) {
            jobs[0].run();
        } else {
            for (Thread t : running) {
                t.start();
            }
            for (Thread t : running) {
                t.join();
            }
        }
        double ms = (System.nanoTime() - start) / 1e6;
        synchronized (failed) {
            if (failed[0]) {
                throw new IllegalStateException("a thread failed");
            }
        }
        long count = 0;
        for (GCBench job : jobs) {
            job.check();
            count += job.nodes;
        }
        System.out.println(String.format(Locale.ROOT, "{\"ms\":%.4f,\"count\":%d}", ms, count));
        System.out.flush();
    }

    public static void main(String[] args) throws Exception {
        stretchDepth = Integer.parseInt(args[0]);
        longDepth = Integer.parseInt(args[1]);
        arraySize = Integer.parseInt(args[2]);
        minDepth = Integer.parseInt(args[3]);
        maxDepth = Integer.parseInt(args[4]);
        int threads = Integer.parseInt(args[5]);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in));
        while (in.readLine() != null) {
            repetition(threads);
        }
    }
}
