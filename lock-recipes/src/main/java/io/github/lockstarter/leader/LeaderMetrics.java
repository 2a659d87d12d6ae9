package io.github.lockstarter.leader;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.observe.LockMetrics;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The meters of roles, from the events of their locks; they appear with the first event of a role. Their number has the
 * limit of {@link LockMetrics}, which warns of it. Thread-safe.
 */
final class LeaderMetrics implements LockListener {

    /** Each grant and each end of a hold changes the leader. */
    private record Role(AtomicInteger held, Counter changes) {

        void change(int held) {
            this.held.addAndGet(held);
            changes.increment();
        }
    }

    private final Map<String, Role> roles = new ConcurrentHashMap<>();
    private final MeterRegistry registry;

    LeaderMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    @Override
    public boolean returnsAtOnce() {
        return true;
    }

    @Override
    public void onEvent(LockEvent event) {
        LeaderLocks.roleOf(event.name()).ifPresent(name -> {
            boolean shown = roles.containsKey(name) || roles.size() < LockMetrics.MAX_NAMES;
            Role role = roles.computeIfAbsent(shown ? name : LockMetrics.OTHER, this::register);
            if (event instanceof LockEvent.Acquired) {
                role.change(1);
            } else if (event instanceof LockEvent.Lost
                    || (event instanceof LockEvent.Released released && released.outcome() != ReleaseOutcome.LOST)) {
                role.change(-1); // a lost lock is counted once, at its loss
            }
        });
    }

    private Role register(String name) {
        Tags tags = Tags.of("role", name);
        Counter changes = Counter.builder("distributed.lock.leader.changes")
                .description("Begins and ends of leaderships")
                .tags(tags)
                .register(registry);
        Role role = new Role(new AtomicInteger(), changes);
        Gauge.builder("distributed.lock.leader", role.held, AtomicInteger::get) // refers to it weakly
                .description("Whether this instance leads the role, 1 or 0; a leader in doubt counts")
                .tags(tags)
                .register(registry);
        return role;
    }
}
