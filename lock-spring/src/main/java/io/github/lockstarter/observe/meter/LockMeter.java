package io.github.lockstarter.observe.meter;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.Locale;

/**
 * Every meter there is. Each has the tag {@link Tag#NAME}, except {@link #STORE_UP}, {@link #RECOVERING}, {@link
 * #CACHE}, {@link #LEADER}, {@link #LEADER_CHANGES} and {@link #DROPPED}; none has the lock's key.
 */
public enum LockMeter implements MeterDocumentation {
    /** Whether the store answers this instance: 1, or 0 from the first failed command until the next answer. */
    STORE_UP("distributed.lock.store.up", Meter.Type.GAUGE, "Whether the lock store answers this instance, 1 or 0"),

    /** Whether the store refuses free locks, since it may have forgotten some: 1 or 0. */
    RECOVERING("distributed.lock.recovering", Meter.Type.GAUGE, "Whether the lock store refuses free locks, 1 or 0"),

    /** Time from the call to its end, by {@link Tag#OUTCOME}: acquired, contended, error, recovering, interrupted. */
    ACQUIRE("distributed.lock.acquire", Meter.Type.TIMER, "Time from asking for a lock to the answer"),

    /** Time from the grant to the release or the loss. */
    HOLD("distributed.lock.hold", Meter.Type.TIMER, "Time a lock was held"),

    /** Locks held at the moment; nested holds count once. */
    HELD("distributed.lock.held", Meter.Type.GAUGE, "Locks that this instance holds"),

    /** Callers that wait at the moment for a lock that another owner holds. */
    WAITING("distributed.lock.waiting", Meter.Type.GAUGE, "Callers that wait for a lock"),

    /** Locks lost while they were held, by {@link Tag#CAUSE}. Alert on this one. */
    LOST("distributed.lock.lost", Meter.Type.COUNTER, "Locks lost while they were held"),

    /** Renewals by {@link Tag#OUTCOME}: renewed, failed, lost. */
    RENEWALS("distributed.lock.renewals", Meter.Type.COUNTER, "Renewals of leases"),

    /** Locks passed on inside this instance, without asking the backend. */
    HANDOVERS("distributed.lock.handovers", Meter.Type.COUNTER, "Locks passed on inside the instance"),

    /** Locks taken over from an instance that had crashed, or was cut off from the store. */
    TAKEOVERS("distributed.lock.takeovers", Meter.Type.COUNTER, "Locks taken over from a crashed instance"),

    /**
     * Locks that came into doubt while they were held, since the store did not answer, or failed over. Each is {@link
     * #CONFIRMED}, {@link #LOST}, or released.
     */
    DOUBTS("distributed.lock.doubts", Meter.Type.COUNTER, "Locks that came into doubt while they were held"),

    /** Time from the doubt about a lock until the store confirmed it. */
    CONFIRMED("distributed.lock.confirmed", Meter.Type.TIMER, "Time until a lock in doubt was confirmed"),

    /** Calls of annotated methods that ended without running the method, by {@link Tag#HOW}: skipped, fallback. */
    SKIPPED("distributed.lock.skipped", Meter.Type.COUNTER, "Calls that did not run their locked method"),

    /**
     * Values of a {@link Tag#CACHE} that were missing, by {@link Tag#OUTCOME}: loaded, hit_after_wait,
     * loaded_without_lock.
     */
    CACHE("distributed.lock.cache", Meter.Type.COUNTER, "Missing values of caches that load once over all instances"),

    /** Whether this instance holds the lock of a {@link Tag#ROLE}, a doubt included: 1 or 0. */
    LEADER("distributed.lock.leader", Meter.Type.GAUGE, "Whether this instance leads the role, 1 or 0"),

    /** How often this instance began or ceased to lead a {@link Tag#ROLE}. */
    LEADER_CHANGES("distributed.lock.leader.changes", Meter.Type.COUNTER, "Begins and ends of leaderships"),

    /** Events that a {@link Tag#LISTENER} missed, since it was too far behind. */
    DROPPED("distributed.lock.events.dropped", Meter.Type.COUNTER, "Events that a lock listener missed");

    private final String meterName;
    private final Meter.Type type;
    private final String description;

    LockMeter(String meterName, Meter.Type type, String description) {
        this.meterName = meterName;
        this.type = type;
        this.description = description;
    }

    @Override
    public String getName() {
        return meterName;
    }

    @Override
    public Meter.Type getType() {
        return type;
    }

    @Override
    public KeyName[] getKeyNames() {
        return switch (this) {
            case ACQUIRE, RENEWALS -> new KeyName[] {Tag.NAME, Tag.OUTCOME};
            case LOST -> new KeyName[] {Tag.NAME, Tag.CAUSE};
            case SKIPPED -> new KeyName[] {Tag.NAME, Tag.HOW};
            case HOLD, HELD, WAITING, HANDOVERS, TAKEOVERS, DOUBTS, CONFIRMED -> new KeyName[] {Tag.NAME};
            case STORE_UP, RECOVERING -> new KeyName[0];
            case CACHE -> new KeyName[] {Tag.CACHE, Tag.OUTCOME};
            case LEADER, LEADER_CHANGES -> new KeyName[] {Tag.ROLE};
            case DROPPED -> new KeyName[] {Tag.LISTENER};
        };
    }

    String description() {
        return description;
    }

    /** The tags. Few values each: a lock's key is never one of them. */
    enum Tag implements KeyName {
        /** Logical lock name. */
        NAME,
        /** How it ended, in lower case. */
        OUTCOME,
        /** Why it was lost, in lower case. */
        CAUSE,
        /** What the caller got instead: skipped or fallback. */
        HOW,
        /** Name of a cache. */
        CACHE,
        /** What an instance leads. */
        ROLE,
        /** Class of a listener. */
        LISTENER;

        @Override
        public String asString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
