package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.client.LockClient;
import io.github.lockstarter.benchmarks.client.LockClient.Hold;
import io.github.lockstarter.benchmarks.jvm.ChildTask;
import io.github.lockstarter.benchmarks.server.Addresses;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;

/** A JVM that holds one lock with each of several clients while it is killed or paused. */
public final class VictimJvm implements ChildTask {

    static final String OPEN = "open";
    static final String ACQUIRE = "acquire";
    static final String RELEASE = "release";

    private final Map<ClientKind, LockClient> clients = new EnumMap<>(ClientKind.class);
    private final Map<ClientKind, Hold> holds = new EnumMap<>(ClientKind.class);

    public VictimJvm() {}

    @Override
    public String answer(String... words) throws Exception {
        return switch (words[0]) {
            case OPEN -> open(Addresses.parse(words[1]), words[2], words[3]);
            case ACQUIRE -> acquire(words[1]);
            case RELEASE -> Boolean.toString(release(ClientKind.of(words[1])));
            default -> throw new IllegalArgumentException(words[0]);
        };
    }

    private String open(Addresses addresses, String leaseMillis, String ids) {
        Duration lease = Duration.ofMillis(Long.parseLong(leaseMillis));
        Arrays.stream(ids.split(",", -1))
                .map(ClientKind::of)
                .forEach(kind -> clients.put(kind, kind.open(addresses, lease)));
        return "open";
    }

    private String acquire(String key) throws InterruptedException {
        for (Map.Entry<ClientKind, LockClient> each : clients.entrySet()) {
            holds.put(each.getKey(), each.getValue().acquire(key, Bench.MAX_WAIT));
        }
        return "acquired";
    }

    /** Returns whether the lock was still held. */
    private boolean release(ClientKind kind) {
        Hold hold = Objects.requireNonNull(holds.remove(kind));
        try {
            hold.release();
            return true;
        } catch (RuntimeException e) {
            return false;
        }
    }
}
