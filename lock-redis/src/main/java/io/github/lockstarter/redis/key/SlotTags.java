package io.github.lockstarter.redis.key;

import io.lettuce.core.cluster.SlotHash;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The lowest number whose hash tag lies in each slot of a cluster: all clients compute the same, in every version.
 *
 * <p>Numbers are tried in turn and each once, about 110,000 for all slots; to look for one slot from 0 on takes 16,000
 * on average. Thread-safe: {@code lock} guards all mutable fields, and nothing blocks inside of it.
 */
public final class SlotTags {

    private final ReentrantLock lock = new ReentrantLock();

    /** One more than the number; 0 where none is found yet. */
    private final int[] found = new int[SlotHash.SLOT_COUNT];

    private int tried;

    /** The tag of a slot. */
    public String of(int slot) {
        lock.lock();
        try {
            while (found[slot] == 0) {
                int reached = SlotHash.getSlot(Integer.toString(tried));
                tried++;
                if (found[reached] == 0) {
                    found[reached] = tried;
                }
            }
            return Integer.toString(found[slot] - 1);
        } finally {
            lock.unlock();
        }
    }
}
