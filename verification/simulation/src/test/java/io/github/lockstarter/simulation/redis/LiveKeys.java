package io.github.lockstarter.simulation.redis;

import io.github.lockstarter.simulation.redis.Effect.Change;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The keys of a running server as its commands find them: a key exists up to its last millisecond, and whoever finds
 * it later deletes it; at a replica only the master does. Gathers the effects of the commands.
 */
final class LiveKeys {

    private final Keyspace keyspace;
    private final LongSupplier micros;
    private final List<Effect> effects = new ArrayList<>();
    private boolean replicated = true;
    private boolean replica;

    LiveKeys(Keyspace keyspace, LongSupplier micros) {
        this.keyspace = keyspace;
        this.micros = micros;
    }

    /** The server's clock, in microseconds since 1970. */
    long micros() {
        return micros.getAsLong();
    }

    /** The same in milliseconds, which keys expire by. */
    long millis() {
        return Math.floorDiv(micros(), 1000);
    }

    /** Null if the key does not exist. */
    @Nullable
    Stored find(String key) {
        Stored found = keyspace.get(key);
        if (found == null || millis() <= found.expiresAt()) {
            return found;
        }
        if (!replica) {
            Change expiry = new Change(key, null);
            keyspace.apply(expiry);
            effects.add(expiry); // whether the script replicates or not
        }
        return null;
    }

    void put(String key, Stored stored) {
        change(new Change(key, stored));
    }

    void delete(String key) {
        change(new Change(key, null));
    }

    private void change(Change change) {
        keyspace.apply(change);
        add(change);
    }

    /** Hands an effect on that is not of a key. */
    void add(Effect effect) {
        if (replicated) {
            effects.add(effect);
        }
    }

    /** Whether effects from now on are handed on. */
    void replicate(boolean on) {
        replicated = on;
    }

    /** Whether the master alone deletes keys that are over. */
    void follow(boolean on) {
        replica = on;
    }

    /** All effects since the last call, as one write. */
    List<Effect> takeEffects() {
        List<Effect> write = List.copyOf(effects);
        effects.clear();
        replicated = true;
        return write;
    }
}
