package io.github.lockstarter.leader;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.BooleanSupplier;

/** Checks each millisecond, on its own thread, whether one instance leads. Close it. */
final class Claims implements AutoCloseable {

    private final ConcurrentSkipListMap<Long, Long> endByBegin = new ConcurrentSkipListMap<>();
    private final String instance;
    private final BooleanSupplier isLeader;
    private final Thread thread;
    private volatile boolean closed;

    Claims(String instance, BooleanSupplier isLeader) {
        this.instance = instance;
        this.isLeader = isLeader;
        this.thread = new Thread(this::ask, "claims-of-" + instance);
        thread.setDaemon(true);
        thread.start();
    }

    private void ask() {
        Long begin = null;
        while (!closed) {
            long asked = System.nanoTime();
            if (!isLeader.getAsBoolean()) {
                begin = null;
            } else {
                if (begin == null) {
                    begin = System.nanoTime();
                }
                endByBegin.put(begin, asked);
            }
            pause();
        }
    }

    private static void pause() {
        try {
            Thread.sleep(1); // between two questions
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    List<Claim> all() {
        List<Claim> claims = new ArrayList<>();
        endByBegin.forEach((begin, end) -> claims.add(new Claim(instance, begin, end)));
        return claims;
    }

    @Override
    public void close() {
        closed = true;
    }
}
