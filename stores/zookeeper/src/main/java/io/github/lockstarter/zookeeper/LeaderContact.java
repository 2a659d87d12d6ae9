package io.github.lockstarter.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Decides from answered commands whether the leader has registered a session recently. The leader ends a session that
 * it has not registered for the session timeout. A follower reports its clients to the leader in the answers to pings,
 * which the leader sends each half tick. The commands of a client do not count: the leader executes them even for a
 * session that it is about to end.
 *
 * <p>So an answered command counts after {@link #delay}: by then the leader has registered the session, no earlier than
 * the command was sent. A new connection counts at once, because its server asks the leader about the session, or for a
 * new one.
 *
 * <p>Times are monotonic nanoseconds. Thread-safe: {@link #answers} and {@link #lastConnection} are replaced as a
 * whole.
 */
final class LeaderContact {

    /** Answers closer together than this part of the session timeout are dropped. */
    private static final int KEPT_PART = 16;

    private record LeaderAnswer(long session, long sent, long answered) {}

    /** A connection of commands sent from {@code usedFrom} on, which began after {@code after}. */
    private record Connection(long session, long after, long usedFrom) {}

    /** Latest first. */
    private final AtomicReference<List<LeaderAnswer>> answers = new AtomicReference<>(List.of());

    private final AtomicReference<Connection> lastConnection =
            new AtomicReference<>(new Connection(Session.NONE, 0, 0));

    /** Half a tick, which is a quarter of the shortest session timeout, and an eighth of that for the transport. */
    static Duration delay(Duration timeout) {
        return timeout.multipliedBy(9).dividedBy(32);
    }

    /** The other half of the session timeout is certain; the difference allows for clock drift. */
    private static Duration longestSilence(Duration timeout) {
        return timeout.multipliedBy(31).dividedBy(64);
    }

    /**
     * Whether a session certainly lasts for half of its timeout after an answered command was sent, because the leader
     * had registered it recently when it executed the command.
     */
    boolean isRecent(long session, long sent, Duration timeout) {
        long silence = longestSilence(timeout).toNanos();
        Connection known = Objects.requireNonNull(lastConnection.get());
        if (known.session == session && sent - known.usedFrom >= 0 && sent - known.after <= silence) {
            return true;
        }
        long delay = delay(timeout).toNanos();
        return answers().stream()
                .anyMatch(each ->
                        each.session == session && sent - each.answered >= delay && sent - each.sent <= silence);
    }

    /**
     * A command failed now because its connection broke, so the next connection began after {@code sent}. The failure
     * of an earlier session may arrive late, and shows nothing of the present one.
     */
    void broken(long session, long sent, long now) {
        lastConnection.updateAndGet(known -> known.session == session ? new Connection(session, sent, now) : known);
    }

    /** A new session, which the client did not have before {@code after}. */
    void began(long session, long after) {
        lastConnection.set(new Connection(session, after, after));
    }

    void answered(long session, long sent, long now, Duration timeout) {
        answers.updateAndGet(known -> with(new LeaderAnswer(session, sent, now), known, timeout));
    }

    private static List<LeaderAnswer> with(LeaderAnswer latest, List<LeaderAnswer> known, Duration timeout) {
        boolean other = known.isEmpty() || known.get(0).session != latest.session;
        if (!other && latest.sent - known.get(0).sent < timeout.toNanos() / KEPT_PART) {
            return known;
        }
        List<LeaderAnswer> kept = new ArrayList<>();
        kept.add(latest);
        known.stream()
                .filter(each -> each.session == latest.session && latest.answered - each.sent < timeout.toNanos())
                .forEach(kept::add);
        return List.copyOf(kept);
    }

    private List<LeaderAnswer> answers() {
        return Objects.requireNonNull(answers.get());
    }
}
