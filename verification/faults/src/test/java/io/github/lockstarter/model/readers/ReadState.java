package io.github.lockstarter.model.readers;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A state of everything.
 *
 * @param first the initial master
 * @param second its replica: the master at some earlier time
 * @param age ticks since the promotion, at most the grace; {@link #NEVER} before
 * @param writes for how many more ticks the deposed master executes writes; {@link #NEVER} afterwards
 * @param holds of each instance
 * @param passed ticks for which readers have had the first server without a pause
 */
record ReadState(StoredLock first, StoredLock second, int age, int writes, List<ReadHold> holds, int passed) {

    static final int FIRST = 0;
    static final int SECOND = 1;
    static final int NEVER = -1;

    static ReadState initial(ReadRules rules) {
        StoredLock free = StoredLock.free(rules.slots());
        List<ReadHold> none = Collections.nCopies(rules.instances().size(), ReadHold.NONE);
        return new ReadState(free, free, NEVER, Math.max(0, rules.window()), none, 0);
    }

    boolean isPromoted() {
        return age != NEVER;
    }

    boolean executes(int server) {
        return server == FIRST ? writes != NEVER : isPromoted();
    }

    /** The deposed one cannot have a takeover acknowledged. */
    boolean takesOver(int server, ReadRules rules) {
        return server == FIRST ? !isPromoted() : !isYoung(server, rules);
    }

    boolean isYoung(int server, ReadRules rules) {
        return server == SECOND && age < rules.grace();
    }

    boolean isQuiet(int server, ReadRules rules) {
        return server == SECOND && age < rules.quiet();
    }

    StoredLock at(int server) {
        return server == FIRST ? first : second;
    }

    ReadState with(int server, StoredLock lock) {
        boolean onFirst = server == FIRST;
        int since = onFirst && !lock.gate().isMark() ? 0 : passed;
        return new ReadState(onFirst ? lock : first, onFirst ? second : lock, age, writes, holds, since);
    }

    ReadState with(int instance, ReadHold hold) {
        List<ReadHold> changed = new ArrayList<>(holds);
        changed.set(instance, hold);
        return new ReadState(first, second, age, writes, List.copyOf(changed), passed);
    }

    /** What the store still has of it belongs to nobody. */
    ReadState withoutHold(int instance) {
        return new ReadState(
                        first.each(entry -> entry.withoutHoldOf(instance)),
                        second.each(entry -> entry.withoutHoldOf(instance)),
                        age,
                        writes,
                        holds,
                        passed)
                .with(instance, ReadHold.NONE);
    }

    ReadState granted(int instance, ReadHold hold) {
        ReadState granted = this;
        for (int other = 0; other < holds.size(); other++) {
            granted = other == instance
                    ? granted
                    : granted.with(other, holds.get(other).overtakenBy(hold.writes()));
        }
        return granted.with(instance, hold);
    }

    ReadState replicated() {
        return new ReadState(first, first, age, writes, holds, passed);
    }

    /** What is in doubt now is void. */
    ReadState promoted() {
        ReadState promoted = new ReadState(first, second, 0, writes, holds, passed);
        for (int instance = 0; instance < holds.size(); instance++) {
            promoted = holds.get(instance).doubted() ? promoted.withoutHold(instance) : promoted;
        }
        return promoted;
    }

    ReadState tick(ReadRules rules) {
        boolean goesOn = executes(FIRST) && (!isPromoted() || writes > 0);
        StoredLock former = goesOn ? first.each(StoredEntry::tick) : StoredLock.free(rules.slots());
        ReadState later = new ReadState(
                former,
                second.each(StoredEntry::tick),
                isPromoted() ? Math.min(age + 1, rules.longestLease() + Math.max(0, rules.window())) : NEVER,
                !isPromoted() ? writes : goesOn ? writes - 1 : NEVER,
                holds,
                former.gate().isMark() ? Math.min(passed + 1, rules.longestLease() + 1) : 0);
        for (int instance = 0; instance < holds.size(); instance++) {
            ReadHold hold = holds.get(instance);
            ReadHold after = hold.tick();
            later = hold.exists() && !after.exists() ? later.withoutHold(instance) : later.with(instance, after);
        }
        return later;
    }
}
