package io.github.lockstarter.redis;

import io.lettuce.core.cluster.SlotHash;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The lowest number whose hash tag lies in a cluster slot: the same in all clients and versions.
 * <p>Tries each number once, about 110,000 for all slots. Thread-safe: its monitor guards writes.
 */
final class SlotTags {

    private final AtomicIntegerArray found = new AtomicIntegerArray(SlotHash.SLOT_COUNT);

    private int tried;

    String of(int slot) {
        int known = found.get(slot);
        return Integer.toString((known == 0 ? find(slot) : known) - 1);
    }

    private synchronized int find(int slot) {
        while (found.get(slot) == 0) {
            int reached = SlotHash.getSlot(Integer.toString(tried));
            tried++;
            if (found.get(reached) == 0) {
                found.set(reached, tried);
            }
        }
        return found.get(slot);
    }
}
