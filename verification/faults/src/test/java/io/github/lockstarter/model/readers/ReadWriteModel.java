package io.github.lockstarter.model.readers;

import io.github.lockstarter.model.TransitionSystem;
import io.github.lockstarter.model.readers.ReadRules.Role;
import java.util.function.BiConsumer;
import java.util.function.Predicate;

/**
 * Read/write locks. A command is executed when it is sent; its answer arrives at once or never, since a lease counts
 * from the sending and a delay only shortens it.
 */
final class ReadWriteModel implements TransitionSystem<ReadState, String> {

    private final ReadRules rules;
    private final Predicate<ReadState> violation;
    private final boolean holdsOnly;

    private ReadWriteModel(ReadRules rules, Predicate<ReadState> violation, boolean holdsOnly) {
        this.rules = rules;
        this.violation = violation;
        this.holdsOnly = holdsOnly;
    }

    /** A violation: a hold is certain, and since its grant the store has granted the lock to one that it excludes. */
    static ReadWriteModel ofExclusion(ReadRules rules) {
        return new ReadWriteModel(
                rules, world -> world.holds().stream().anyMatch(hold -> hold.isCertain() && hold.overtaken()), false);
    }

    /**
     * A writer waits, and no hold is renewed. A violation: readers have the lock for longer than a lease, so that new
     * ones could keep it forever.
     */
    static ReadWriteModel ofWaitingWriter(ReadRules rules) {
        return new ReadWriteModel(rules, world -> world.passed() > rules.longestLease(), true);
    }

    @Override
    public ReadState initial() {
        return ReadState.initial(rules);
    }

    @Override
    public boolean isViolation(ReadState world) {
        return violation.test(world);
    }

    @Override
    public void steps(ReadState world, BiConsumer<String, ReadState> found) {
        found.accept("tick", world.tick(rules));
        if (rules.hasFailover() && !world.isPromoted()) {
            found.accept("replicate", world.replicated());
            found.accept("promote", world.promoted());
        }
        for (int server = ReadState.FIRST; server <= ReadState.SECOND; server++) {
            if (world.executes(server)) {
                for (int instance = 0; instance < world.holds().size(); instance++) {
                    ofInstance(world, server, instance, found);
                }
                late(world, server, found);
            }
        }
    }

    private void ofInstance(ReadState world, int server, int instance, BiConsumer<String, ReadState> found) {
        ReadHold hold = world.holds().get(instance);
        Role role = rules.instances().get(instance);
        String who = role + " " + instance + " at " + server + ": ";
        BiConsumer<String, ReadState> named = (step, next) -> found.accept(who + step, next);
        if (!hold.exists()) {
            if (role.writes()) {
                written(world, server, instance, named);
            } else {
                read(world, server, instance, ReadHold.NONE, named);
            }
            return;
        }
        named.accept("doubt", world.with(instance, hold.doubt()));
        released(world, server, instance, named);
        if (role == Role.DOWNGRADES) {
            downgraded(world, server, instance, named);
        }
        if (!holdsOnly && !world.isQuiet(server, rules) && !hold.isDowngrading()) {
            renewed(world, server, instance, named);
        }
    }

    private boolean isGone(ReadState world, int server, StoredEntry entry) {
        boolean doubted =
                entry.instance() >= 0 && world.holds().get(entry.instance()).doubted();
        return world.takesOver(server, rules) && (doubted || entry.isFormer());
    }

    // Grants

    private void read(ReadState world, int server, int instance, ReadHold before, BiConsumer<String, ReadState> found) {
        StoredLock lock = world.at(server);
        StoredEntry gate = lock.gate();
        boolean replaces = isGone(world, server, gate);
        boolean mayEnter = gate.isFree() || gate.isMark() || replaces || !rules.keeps(ReadRule.READER_LOOKS_AT_GATE);
        boolean early = world.isYoung(server, rules) && (rules.keeps(ReadRule.NO_READER_IN_GRACE) || !gate.isMark());
        boolean waits = holdsOnly && gate.isMark() && rules.keeps(ReadRule.READER_WAITS_BEHIND_WRITER);
        if (!mayEnter || early || waits) {
            return;
        }
        int lease = rules.leases().get(instance);
        for (int slot = 0; slot < rules.slots(); slot++) {
            StoredEntry entry = lock.slots().get(slot);
            if (entry.isFree() || isGone(world, server, entry)) {
                StoredLock after = marked(lock.slot(slot, StoredEntry.of(instance, lease)), lease, replaces);
                ReadHold granted = new ReadHold(lease, false, slot, false, before.overtaken());
                found.accept("read in slot " + slot, world.with(server, after).granted(instance, granted));
                found.accept("read unanswered", world.with(server, after.each(each -> each.withoutHoldOf(instance))));
            }
        }
    }

    private StoredLock marked(StoredLock lock, int lease, boolean replaces) {
        boolean leaves = replaces && !rules.keeps(ReadRule.READER_REPLACES_WRITER);
        if (leaves || !rules.keeps(ReadRule.READER_MARKS_GATE)) {
            return lock;
        }
        boolean lengthens = lock.gate().isMark() && rules.keeps(ReadRule.MARK_HAS_LONGEST_LEASE);
        return lock.gate(lengthens ? lock.gate().atLeast(lease) : StoredEntry.mark(lease));
    }

    private void written(ReadState world, int server, int instance, BiConsumer<String, ReadState> found) {
        StoredLock lock = world.at(server);
        boolean unread = lock.slots().stream().allMatch(slot -> slot.isFree() || isGone(world, server, slot))
                || !rules.keeps(ReadRule.WRITER_LOOKS_AT_SLOTS);
        boolean mayEnter = lock.gate().isFree()
                || isGone(world, server, lock.gate())
                || (lock.gate().isMark() && unread);
        if (!mayEnter || world.isYoung(server, rules)) {
            return;
        }
        boolean deletes = lock.gate().isMark() && rules.keeps(ReadRule.WRITER_DELETES_SLOTS);
        int lease = rules.leases().get(instance);
        StoredLock after = (deletes ? StoredLock.free(rules.slots()) : lock).gate(StoredEntry.of(instance, lease));
        ReadHold granted = ReadHold.granted(lease, true, ReadHold.UNKNOWN);
        found.accept("write", world.with(server, after).granted(instance, granted));
        found.accept("write unanswered", world.with(server, after.each(each -> each.withoutHoldOf(instance))));
    }

    // Renewals

    private void renewed(ReadState world, int server, int instance, BiConsumer<String, ReadState> found) {
        ReadHold hold = world.holds().get(instance);
        int lease = rules.leases().get(instance);
        boolean young = world.isYoung(server, rules);
        StoredLock lock = world.at(server);
        StoredEntry own = StoredEntry.of(instance, lease);
        boolean held;
        StoredLock after;
        if (hold.writes()) {
            held = lock.gate().isOf(instance) || (lock.gate().isFree() && young);
            after = held ? lock.gate(own.atLeast(lock.gate().left())) : lock;
        } else {
            StoredEntry slot = lock.slots().get(hold.slot());
            boolean hasSlot = slot.isOf(instance) || (slot.isFree() && young);
            boolean hasMark = lock.gate().isMark() || (lock.gate().isFree() && young);
            after = hasSlot ? lock.slot(hold.slot(), own.atLeast(slot.left())) : lock;
            boolean renewsMark = hasMark && rules.keeps(ReadRule.RENEWAL_RENEWS_MARK);
            after = renewsMark
                    ? after.gate(StoredEntry.mark(Math.max(lease, lock.gate().left())))
                    : after;
            boolean asksMark = rules.keeps(ReadRule.RENEWAL_REQUIRES_MARK) && rules.keeps(ReadRule.RENEWAL_RENEWS_MARK);
            held = hasSlot && (hasMark || !asksMark);
        }
        ReadState executed = world.with(server, after);
        found.accept("renew unanswered", executed);
        found.accept(
                held ? "renew" : "lose",
                held ? executed.with(instance, hold.renewed(lease)) : executed.withoutHold(instance));
    }

    // Ends

    private void released(ReadState world, int server, int instance, BiConsumer<String, ReadState> found) {
        found.accept("release unsent", world.withoutHold(instance));
        found.accept(
                "release", world.with(server, left(world.at(server), instance)).withoutHold(instance));
    }

    private StoredLock left(StoredLock lock, int instance) {
        StoredLock after = lock.gate().isOf(instance) ? lock.gate(StoredEntry.FREE) : lock;
        for (int slot = 0; slot < rules.slots(); slot++) {
            after = after.slots().get(slot).isOf(instance) ? after.leave(slot, rules) : after;
        }
        return after;
    }

    /** Sent by a writer, perhaps repeatedly, until it knows its slot. */
    private void downgraded(ReadState world, int server, int instance, BiConsumer<String, ReadState> found) {
        ReadHold hold = world.holds().get(instance);
        StoredLock lock = world.at(server);
        if (!rules.keeps(ReadRule.DOWNGRADE_IS_ONE_STEP)) {
            if (hold.writes() && lock.gate().isOf(instance)) {
                ReadHold waits = hold.downgraded(ReadHold.UNKNOWN).doubt();
                found.accept(
                        "release, to read",
                        world.with(server, lock.gate(StoredEntry.FREE)).with(instance, waits));
            } else if (hold.isDowngrading()) {
                read(world, server, instance, hold, found);
            }
            return;
        }
        boolean claims = !rules.keeps(ReadRule.DOWNGRADE_COUNTS_FROM_SENDING);
        if (hold.writes()) {
            ReadHold sent = claims ? hold : hold.downgraded(ReadHold.UNKNOWN);
            found.accept("downgrade unexecuted", world.with(instance, sent));
            executed(world.with(instance, sent), server, instance, found);
        } else if (hold.isDowngrading()) {
            executed(world, server, instance, found);
        }
    }

    private void executed(ReadState world, int server, int instance, BiConsumer<String, ReadState> found) {
        StoredLock lock = world.at(server);
        ReadHold hold = world.holds().get(instance);
        if (lock.gate().isOf(instance)) {
            for (int slot = 0; slot < rules.slots(); slot++) {
                if (lock.slots().get(slot).isFree()) {
                    int left = lock.gate().left();
                    StoredLock after =
                            lock.slot(slot, StoredEntry.of(instance, left)).gate(StoredEntry.mark(left));
                    found.accept("downgrade unanswered", world.with(server, after));
                    found.accept("downgrade", world.with(server, after).with(instance, hold.downgraded(slot)));
                    return;
                }
            }
        }
        for (int slot = 0; slot < rules.slots(); slot++) {
            if (lock.gate().isMark() && lock.slots().get(slot).isOf(instance)) {
                found.accept("downgrade repeated", world.with(instance, hold.downgraded(slot)));
            }
        }
    }

    // Commands of holds that have ended

    private void late(ReadState world, int server, BiConsumer<String, ReadState> found) {
        StoredLock lock = world.at(server);
        boolean restores = world.isYoung(server, rules) && !world.isQuiet(server, rules) && !holdsOnly;
        StoredEntry former = new StoredEntry(StoredEntry.FORMER, rules.longestLease());
        if (lock.gate().isFormer()) {
            found.accept("late release of a writer", world.with(server, lock.gate(StoredEntry.FREE)));
        } else if (lock.gate().isFree() && restores) {
            found.accept("late renewal of a writer", world.with(server, lock.gate(former)));
        }
        for (int slot = 0; slot < rules.slots(); slot++) {
            StoredEntry entry = lock.slots().get(slot);
            if (entry.isFormer()) {
                found.accept("late release of a reader", world.with(server, lock.leave(slot, rules)));
            } else if (entry.isFree()
                    && restores
                    && (lock.gate().isFree() || lock.gate().isMark())) {
                StoredLock after = lock.slot(slot, former).gate(StoredEntry.mark(rules.longestLease()));
                found.accept("late renewal of a reader", world.with(server, after));
            }
        }
    }
}
