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

    @Override
    public KeyName[] getLowCardinalityKeyNames() {
        return Low.values();
    }

    @Override
    public KeyName[] getHighCardinalityKeyNames() {
        return High.values();
    }

    @Override
    public Observation.Event[] getEvents() {
        return new Observation.Event[] {LOST};
    }

    /** The lock was lost. */
    static final Observation.Event LOST = Observation.Event.of("lock.lost", "Lost the lock");

    /** Few values each, fit for a metric. */
    enum Low implements KeyName {
        /** Logical lock name. */
        NAME("lock.name"),
        /** How it ended, in lower case. */
        OUTCOME("lock.outcome");

        private final String text;

        Low(String text) {
            this.text = text;
        }

        @Override
        public String asString() {
            return text;
        }
    }

    /** As many values as there are entities, for spans only. */
    enum High implements KeyName {
        /** The key, or its hash. */
        KEY("lock.key"),
        /** The fencing token. */
        FENCING_TOKEN("lock.fencing_token");

        private final String text;

        High(String text) {
            this.text = text;
        }

        @Override
        public String asString() {
            return text;
        }
    }
}
