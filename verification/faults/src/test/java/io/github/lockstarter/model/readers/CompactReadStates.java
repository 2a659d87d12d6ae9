package io.github.lockstarter.model.readers;

import io.github.lockstarter.model.Compaction;
import java.util.ArrayList;
import java.util.List;

/** A state in 64 bits. */
final class CompactReadStates implements Compaction<ReadState, Long> {

    private static final int BITS_OF_OWNER = 3;
    private static final int BITS_OF_TIME = 3;

    private final ReadRules rules;

    CompactReadStates(ReadRules rules) {
        this.rules = rules;
    }

    private static final class Bits {

        private long bits;
        private int used;

        void add(int value, int width) {
            if (value < 0 || value >= 1 << width || used + width > Long.SIZE) {
                throw new IllegalStateException(value + " needs more than " + width + " bits, after " + used);
            }
            bits |= (long) value << used;
            used += width;
        }

        int take(int width) {
            int value = (int) (bits >>> used) & ((1 << width) - 1);
            used += width;
            return value;
        }
    }

    @Override
    public Long compact(ReadState world) {
        Bits bits = new Bits();
        add(bits, world.first());
        add(bits, world.second());
        bits.add(world.age() + 1, BITS_OF_TIME);
        bits.add(world.writes() + 1, 2);
        bits.add(world.passed(), BITS_OF_TIME);
        for (ReadHold hold : world.holds()) {
            bits.add(hold.left(), 2);
            bits.add(hold.writes() ? 1 : 0, 1);
            bits.add(hold.slot() + 1, 2);
            bits.add(hold.doubted() ? 1 : 0, 1);
            bits.add(hold.overtaken() ? 1 : 0, 1);
        }
        return bits.bits;
    }

    private static void add(Bits bits, StoredLock lock) {
        add(bits, lock.gate());
        lock.slots().forEach(slot -> add(bits, slot));
    }

    private static void add(Bits bits, StoredEntry entry) {
        bits.add(entry.owner(), BITS_OF_OWNER);
        bits.add(entry.left(), 2);
    }

    @Override
    public ReadState world(Long compact) {
        Bits bits = new Bits();
        bits.bits = compact;
        StoredLock first = lock(bits);
        StoredLock second = lock(bits);
        int age = bits.take(BITS_OF_TIME) - 1;
        int writing = bits.take(2) - 1;
        int passed = bits.take(BITS_OF_TIME);
        List<ReadHold> holds = new ArrayList<>();
        for (int instance = 0; instance < rules.instances().size(); instance++) {
            int left = bits.take(2);
            boolean writes = bits.take(1) == 1;
            int slot = bits.take(2) - 1;
            boolean doubted = bits.take(1) == 1;
            holds.add(new ReadHold(left, writes, slot, doubted, bits.take(1) == 1));
        }
        return new ReadState(first, second, age, writing, List.copyOf(holds), passed);
    }

    private StoredLock lock(Bits bits) {
        StoredEntry gate = entry(bits);
        List<StoredEntry> slots = new ArrayList<>();
        for (int slot = 0; slot < rules.slots(); slot++) {
            slots.add(entry(bits));
        }
        return new StoredLock(gate, List.copyOf(slots));
    }

    private static StoredEntry entry(Bits bits) {
        int owner = bits.take(BITS_OF_OWNER);
        return new StoredEntry(owner, bits.take(2));
    }
}
