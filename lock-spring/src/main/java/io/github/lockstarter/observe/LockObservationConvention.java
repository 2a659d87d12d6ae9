package io.github.lockstarter.observe;

import io.github.lockstarter.spi.Digest;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import java.nio.charset.StandardCharsets;
import java.util.Objects;

/** Names and key values of lock observations. A bean of this type replaces the default. */
public class LockObservationConvention implements ObservationConvention<LockObservationContext> {

    private static final int HASH_DIGITS = 16;

    /**
     * How a span shows a key, which may contain identifiers of people or orders. Unless {@link #PLAIN}, spans show only
     * type and outcome of exceptions, whose messages contain the key.
     */
    public enum KeyDisplay {
        /** The beginning of its SHA-256, which confirms a guess of the key. */
        HASHED,
        /** The key. */
        PLAIN,
        /** No key. */
        NONE
    }

    private final KeyDisplay keys;

    /**
     * Creates the convention.
     *
     * @param keys display of keys
     */
    public LockObservationConvention(KeyDisplay keys) {
        this.keys = Objects.requireNonNull(keys, "keys");
    }

    boolean showsKeys() {
        return keys == KeyDisplay.PLAIN;
    }

    @Override
    public boolean supportsContext(Observation.Context context) {
        return context instanceof LockObservationContext;
    }

    @Override
    public String getContextualName(LockObservationContext context) {
        return switch (context.phase()) {
            case ACQUISITION -> "acquire " + context.request().name();
            case SECTION -> "lock " + context.request().name();
        };
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(LockObservationContext context) {
        return KeyValues.of(
                "lock.name", context.request().name(),
                "lock.outcome", context.outcome());
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(LockObservationContext context) {
        KeyValues values = KeyValues.empty();
        if (keys != KeyDisplay.NONE) {
            values = values.and(
                    "lock.key", shown(String.join(", ", context.request().keys())));
        }
        return context.fencingToken().isEmpty()
                ? values
                : values.and(
                        "lock.fencing_token",
                        Long.toString(context.fencingToken().getAsLong()));
    }

    private String shown(String key) {
        return keys == KeyDisplay.PLAIN ? key : hash(key);
    }

    private static String hash(String key) {
        return Digest.SHA_256.hex(key.getBytes(StandardCharsets.UTF_8)).substring(0, HASH_DIGITS);
    }
}
