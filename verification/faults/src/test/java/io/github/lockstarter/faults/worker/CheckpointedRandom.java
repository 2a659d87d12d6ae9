package io.github.lockstarter.faults.worker;

import io.github.lockstarter.faults.worker.WorkerOptions.Guard;
import java.security.SecureRandom;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * The random source of an engine that is restored from a checkpoint. Workers with the same seed are clones: they have
 * the instance id of the checkpoint in common, and draw everything else after it. Without {@link Guard#RANDOM_TOKENS}
 * clones also have the next id in common, and draw the same numbers at the same time, each of them once. Thread-safe.
 */
final class CheckpointedRandom implements RandomGenerator {

    /** A power of two, about 4 ms. */
    private static final long SAME_TIME_NANOS = 1 << 22;

    /** Lock tokens leave the last two bits out. */
    private static final long STEP = 4;

    private final RandomGenerator checkpoint;
    private final boolean cloned;
    private final RandomGenerator own = new SecureRandom();
    private final AtomicBoolean hasFirstId = new AtomicBoolean();
    private final AtomicLong copied = new AtomicLong();

    CheckpointedRandom(WorkerOptions options) {
        this.checkpoint = new Random(options.seed());
        this.cloned = !options.subject().has(Guard.RANDOM_TOKENS);
    }

    @Override
    public void nextBytes(byte[] id) {
        boolean before = !hasFirstId.getAndSet(true);
        (before || cloned ? checkpoint : own).nextBytes(id);
    }

    @Override
    public long nextLong() {
        long time = System.nanoTime() & -SAME_TIME_NANOS;
        return cloned ? copied.updateAndGet(latest -> Math.max(latest + STEP, time)) : own.nextLong();
    }
}
