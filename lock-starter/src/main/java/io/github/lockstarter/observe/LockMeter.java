package io.github.lockstarter.observe;

import io.micrometer.common.docs.KeyName;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.Locale;

/** Every meter there is. Each has the tag {@link Tag#NAME}; none has the lock's key. */
enum LockMeter implements MeterDocumentation {
    /** Time from the call to its end, by {@link Tag#OUTCOME}: acquired, contended, error, interrupted. */
    ACQUIRE("distributed.lock.acquire", Meter.Type.TIMER, "Time from asking for a lock to the answer"),

    /** Time from the grant to the release or the loss. */
    HOLD("distributed.lock.hold", Meter.Type.TIMER, "Time a lock was held"),

    /** Locks held at the moment; nested holds count once. */
    HELD("distributed.lock.held", Meter.Type.GAUGE, "Locks that this instance holds"),

    /** Callers that wait at the moment for a lock that somebody else holds. */
    WAITING("distributed.lock.waiting", Meter.Type.GAUGE, "Callers that wait for a lock"),

    /** Locks whose lease ran out or whose owner changed while they were held. Alert on this one. */
    LOST("distributed.lock.lost", Meter.Type.COUNTER, "Locks lost while they were held"),

    /** Renewals by {@link Tag#OUTCOME}: renewed, failed, lost. */
    RENEWALS("distributed.lock.renewals", Meter.Type.COUNTER, "Renewals of leases"),

    /** Locks passed on inside this instance, without asking the backend. */
    HANDOVERS("distributed.lock.handovers", Meter.Type.COUNTER, "Locks passed on inside the instance");

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
            case ACQUIRE, RENEWALS -> Tag.values();
            case HOLD, HELD, WAITING, LOST, HANDOVERS -> new KeyName[] {Tag.NAME};
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
        OUTCOME;

        @Override
        public String asString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
