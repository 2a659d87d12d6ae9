package io.github.lockstarter.zookeeper;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * How lately the leader has certainly heard of a session, as far as the answers to its commands tell. The leader ends a
 * session when it has not heard of it for the session time-out. It hears of a client of another server when that one
 * answers the next of its pings, of which it sends one each half tick: not from the client's commands, which it
 * executes for a session that it is about to end.
 *
 * <p>So a command counts only from {@link #delay} on after its answer: by then, the leader has heard of the session, no
 * earlier than the command was sent. A connection that replaces another one counts at once, since a server asks the
 * leader about the session before it goes on with it.
 *
 * <p>Times are monotonic nanoseconds. Thread-safe; {@link #answers} and {@link #lastBreak} are replaced as a whole. Of
 * the answers, a few of the latest are kept, the latest first.
 */
final class LeaderContact {

    /** Answers that follow one another more closely than this part of the session time-out are not kept. */
    private static final int KEPT_PART = 16;

    private record Answer(long session, long sent, long answered) {}

    /** The connection broke at some time between the two. */
    private record Break(long session, long after, long before) {}

    private final long noSessionBefore;
    private final AtomicReference<List<Answer>> answers = new AtomicReference<>(List.of());
    private volatile Break lastBreak = new Break(Session.NONE, 0, 0);

    /**
     * Without an answer yet.
     *
     * @param noSessionBefore before which the client certainly had no session: the leader has heard of it since
     */
    LeaderContact(long noSessionBefore) {
        this.noSessionBefore = noSessionBefore;
    }

    /**
     * How long after its answer a command counts: half a tick, which is a quarter of the shortest session time-out, and
     * an eighth of that for its way.
     */
    static Duration delay(Duration timeout) {
        return timeout.multipliedBy(9).dividedBy(32);
    }

    /** Half of the session time-out is certain, and a little is for clocks that run at different speeds. */
    private static Duration longestSilence(Duration timeout) {
        return timeout.multipliedBy(31).dividedBy(64);
    }

    /**
     * Whether the session that has answered a command is certainly not over for half of its time-out from the sending
     * of the command on: the leader had heard of it lately when it executed the command.
     */
    boolean isRecent(long session, long sent, Duration timeout) {
        long silence = longestSilence(timeout).toNanos();
        if (sent - noSessionBefore <= silence) {
            return true;
        }
        Break known = lastBreak;
        if (known.session == session && sent - known.before >= 0 && sent - known.after <= silence) {
            return true;
        }
        long delay = delay(timeout).toNanos();
        return answers().stream()
                .anyMatch(each ->
                        each.session == session && sent - each.answered >= delay && sent - each.sent <= silence);
    }

    /** A command that was sent then has just failed with its connection: the next connection began later. */
    void broken(long session, long sent, long now) {
        lastBreak = new Break(session, sent, now);
    }

    /** A command was answered now that was sent then. */
    void answered(long session, long sent, long now, Duration timeout) {
        answers.updateAndGet(known -> with(new Answer(session, sent, now), known, timeout));
    }

    private static List<Answer> with(Answer latest, List<Answer> known, Duration timeout) {
        boolean isOther = known.isEmpty() || known.get(0).session != latest.session;
        if (!isOther && latest.sent - known.get(0).sent < timeout.toNanos() / KEPT_PART) {
            return known;
        }
        List<Answer> kept = new ArrayList<>();
        kept.add(latest);
        known.stream()
                .filter(each -> each.session == latest.session && latest.answered - each.sent < timeout.toNanos())
                .forEach(kept::add);
        return List.copyOf(kept);
    }

    private List<Answer> answers() {
        return Objects.requireNonNull(answers.get());
    }
}
