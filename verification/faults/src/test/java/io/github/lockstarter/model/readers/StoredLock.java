package io.github.lockstarter.model.readers;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * The lock at one server.
 *
 * @param gate the writer's token, or the mark
 * @param slots of readers
 */
record StoredLock(StoredEntry gate, List<StoredEntry> slots) {

    static StoredLock free(int slots) {
        return new StoredLock(StoredEntry.FREE, Collections.nCopies(slots, StoredEntry.FREE));
    }

    StoredLock gate(StoredEntry other) {
        return new StoredLock(other, slots);
    }

    StoredLock slot(int slot, StoredEntry other) {
        List<StoredEntry> changed = new ArrayList<>(slots);
        changed.set(slot, other);
        return new StoredLock(gate, List.copyOf(changed));
    }

    StoredLock each(UnaryOperator<StoredEntry> change) {
        return new StoredLock(change.apply(gate), slots.stream().map(change).toList());
    }

    /** A slot is deleted; the mark follows the last one. */
    StoredLock leave(int slot, ReadRules rules) {
        StoredLock left = slot(slot, StoredEntry.FREE);
        boolean last = left.slots.stream().allMatch(StoredEntry::isFree);
        boolean deletes = gate.isMark() && (last || !rules.keeps(ReadRule.LAST_READER_DELETES_MARK));
        return deletes ? left.gate(StoredEntry.FREE) : left;
    }
}
