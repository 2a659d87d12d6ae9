package io.github.lockstarter.fence;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The fencing tokens of a thread's locks. An application without JDBC cannot link {@link Fences}. */
final class HeldFencingTokens {

    private HeldFencingTokens() {}

    /**
     * In the order of the keys, so that transactions with several keys cannot deadlock. Each slot has its own sequence
     * of tokens and its own fence; the first slot's fence is named by the key. Locks that are read are left out: their
     * holders overlap, and have slots without writers.
     */
    static SortedMap<String, Long> ofThread() {
        SortedMap<String, Long> tokens = new TreeMap<>();
        Stream<LockHandle> carried =
                LockContext.current().handles().stream().filter(lock -> lock.state() != HoldState.RELEASED);
        Stream.concat(LockHandle.allCurrent().stream(), carried).forEach(lock -> lock.keys().stream()
                .filter(key -> lock.slot(key) < LockRequest.MAX_PERMITS)
                .forEach(key -> tokens.merge(fenceOf(key, lock.slot(key)), lock.fencingToken(key), Math::min)));
        if (tokens.isEmpty()) {
            throw new IllegalStateException("Fences were called under no lock, or one that is only read (mode READ)."
                    + " Call them inside of a method with @DistributedLock that writes, or of LockOperations.execute");
        }
        return tokens;
    }

    private static String fenceOf(String key, int slot) {
        return slot == 0 ? key : key + " (slot " + slot + ")";
    }
}
