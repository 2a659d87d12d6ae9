package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.client.LockClient.Hold;
import java.util.ArrayList;
import java.util.List;

/** Locks that one thread acquires, keeps and releases. */
record ManyHolds(List<Hold> holds) {

    static ManyHolds acquire(LockClient client, int locks) throws InterruptedException {
        List<Hold> holds = new ArrayList<>();
        for (int i = 0; i < locks; i++) {
            holds.add(client.acquire("held:" + i, Bench.MAX_WAIT));
        }
        return new ManyHolds(holds);
    }

    /** Releases all locks; returns the number of lost ones. */
    long release() {
        long lost = holds.stream().filter(ManyHolds::isLost).count();
        holds.clear();
        return lost;
    }

    private static boolean isLost(Hold hold) {
        try {
            hold.release();
            return false;
        } catch (RuntimeException e) {
            return true;
        }
    }
}
