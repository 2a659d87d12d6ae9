package io.github.lockstarter.observe.tracing;

import io.github.lockstarter.observe.meter.LockMeter;
import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;
import java.util.Locale;

/**
 * Every observation there is. Their names are others than those of the {@linkplain LockMeter meters}: a registry that
 * makes meters of observations would otherwise meet one name with two sets of tags.
 */
enum LockObservation implements ObservationDocumentation {
    /** From the call to its end; the outcome is acquired, contended, error, recovering or
     * interrupted. */
    ACQUISITION,

    /** From the grant to the release; the outcome is released, lost or unknown. */
    SECTION;

    @Override
    public String getName() {
        return "distributed.lock." + name().toLowerCase(Locale.ROOT);
    }

    @Override
    public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
        return LockObservationConvention.class;
    }

    /** Few values each, fit for a metric. */
    @Override
    public KeyName[] getLowCardinalityKeyNames() {
        return new KeyName[] {Key.NAME, Key.OUTCOME};
    }

    /** As many values as there are entities, for spans only. */
    @Override
    public KeyName[] getHighCardinalityKeyNames() {
        return new KeyName[] {Key.KEY, Key.FENCING_TOKEN};
    }

    @Override
    public Observation.Event[] getEvents() {
        return new Observation.Event[] {LOST};
    }

    /** The lock was lost. */
    static final Observation.Event LOST = Observation.Event.of("lock.lost", "Lost the lock");

    /** The keys. */
    enum Key implements KeyName {
        /** Logical lock name. */
        NAME,
        /** How it ended, in lower case. */
        OUTCOME,
        /** The key, or its hash. */
        KEY,
        /** The fencing token. */
        FENCING_TOKEN;

        @Override
        public String asString() {
            return "lock." + name().toLowerCase(Locale.ROOT);
        }
    }
}
