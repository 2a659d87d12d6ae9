package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTicket;
import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * The detached locks of an episode: gives each ticket to one or two instances, late or in time, even after the end of
 * the one that detached it. A ticket counts as the owner of its lock for its lease, until an instance uses it.
 */
final class Tickets {

    private static final Duration FOR_EVER = Duration.ofDays(1);

    private final World world;
    private final Random random;

    /** Until when the lock is the ticket's. */
    private final Map<LockTicket, Long> unused = new LinkedHashMap<>();

    private final Set<LockTicket> attached = new HashSet<>();

    Tickets(World world) {
        this.world = world;
        this.random = world.random("tickets");
    }

    /** The lease counts from the sending. */
    void detached(LockTicket ticket, long sent) {
        long lease = world.setting.lease().toNanos();
        unused.put(ticket, sent + lease);
        int receivers = random.nextInt(4) == 0 ? 2 : 1;
        for (int i = 0; i < receivers; i++) {
            long delay =
                    random.nextInt(3) == 0 ? (long) (lease * 1.5 * random.nextDouble()) : random.nextInt(20_000_000);
            world.after(Duration.ofNanos(delay), () -> receive(ticket));
        }
    }

    /** For how many tickets an instance got the lock. */
    int attached() {
        return attached.size();
    }

    /** Whether the lock is that of a ticket. */
    boolean have(String key) {
        return unused.entrySet().stream()
                .anyMatch(each -> each.getKey().key().equals(key)
                        && each.getValue() > world.time.nanos()
                        && !world.isRevoked(key, each.getKey().fencingToken()));
    }

    private void receive(LockTicket ticket) {
        Instance receiver = world.instances.get(random.nextInt(world.instances.size()));
        if (!world.isEnding() && !receiver.isStopping()) {
            receiver.time(Duration.ZERO, () -> attach(receiver, ticket));
        }
    }

    private void attach(Instance receiver, LockTicket ticket) {
        unused.remove(ticket);
        EpisodeSection.Asked asked =
                new EpisodeSection.Asked(world.time.nanos(), Duration.ZERO, Duration.ZERO, FOR_EVER);
        receiver.engine
                .acquireAsync(LockRequest.ofTicket(ticket))
                .whenComplete((handle, failure) -> answered(receiver, ticket, asked, handle, failure));
    }

    private void answered(
            Instance receiver,
            LockTicket ticket,
            EpisodeSection.Asked asked,
            @Nullable LockHandle handle,
            @Nullable Throwable failure) {
        if (handle != null) {
            if (!attached.add(ticket)) {
                world.anomaly("I4", receiver.name, ticket.key(), "attached the lock by a ticket that was used before");
            }
            if (handle.fencingToken() <= ticket.fencingToken()) {
                world.anomaly("I2", receiver.name, ticket.key(), "attached the lock without a greater fencing token");
            }
            Duration lasts = Duration.ofNanos(random.nextInt(60_000_000));
            new EpisodeSection(world, receiver, asked, handle, lasts, random, random.nextInt(3) == 0, () -> {});
            return;
        }
        Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
        if (!(cause instanceof LockException)) {
            world.anomaly("I5", receiver.name, ticket.key(), "unexpected " + cause);
        }
    }
}
