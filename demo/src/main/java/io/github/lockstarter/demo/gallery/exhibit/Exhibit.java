package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.demo.KebabCase;
import io.github.lockstarter.demo.gallery.caller.LockKind;
import io.github.lockstarter.kit.redis.RedisServer;
import java.time.Duration;

/** Broken locks and the interleavings that break them, in the order of the page. */
@SuppressWarnings("ImmutableEnumChecker") // Immutable records, and stateless scripts.
public enum Exhibit {
    /** The control. */
    INCR(
            new Description(
                    "No lock: INCR",
                    "nothing: one command is atomic",
                    "Nothing goes wrong: the counter is changed in one command (HINCRBY, as INCR), which needs no"
                            + " lock.",
                    "Counts the same by reading and writing under the lock, and is as exact, only slower."),
            new Lock(LockKind.NONE, seconds(10), seconds(10)),
            new Prediction(0, 0, false),
            ExhibitServerKind.STANDALONE,
            Interleaving::count),
    SETNX(
            new Description(
                    "SETNX without an expiry",
                    "the holder is killed",
                    "The holder is killed, the key stays forever, and no caller gets the lock again.",
                    "Redis reports that the holder's connection is closed: the lock is taken over after 1 to 1.5 s."),
            new Lock(LockKind.SETNX, millis(1000), seconds(10)),
            new Prediction(0, 1, true),
            ExhibitServerKind.STANDALONE,
            Interleaving::killTheHolder),
    SETNX_EXPIRE(
            new Description(
                    "SETNX, then EXPIRE",
                    "the holder is killed between the two",
                    "The holder is killed between the two commands. The key has no expiry, and no caller gets the lock"
                            + " again.",
                    "A grant is a single script. If the holder is killed right after it, the lock is taken over after"
                            + " 1 to 1.5 s."),
            new Lock(LockKind.SETNX_EXPIRE, millis(1000), seconds(10)),
            new Prediction(0, 1, true),
            ExhibitServerKind.STANDALONE,
            Interleaving::killInMidGrant),
    FIXED_VALUE(
            new Description(
                    "SET NX PX with a fixed value, DEL",
                    "a release after the lease",
                    "The holder is paused beyond its lease. Its late DEL frees the lock of the next holder, and a"
                            + " third caller gets in.",
                    "The release compares the lock token in the same step: a late one changes nothing and returns"
                            + " LOST."),
            new Lock(LockKind.FIXED_VALUE, millis(1500), millis(1500)),
            new Prediction(1, 2, false),
            ExhibitServerKind.STANDALONE,
            Interleaving::releaseLate),
    GET_DEL(
            new Description(
                    "GET and DEL in two steps",
                    "the lease ends between the two",
                    "The lease ends between the GET and the DEL, which frees the lock of the next holder.",
                    "One script compares and deletes: a late release changes nothing and returns LOST."),
            new Lock(LockKind.GET_DEL, millis(1500), millis(1500)),
            new Prediction(1, 2, false),
            ExhibitServerKind.STANDALONE,
            Interleaving::releaseLate),
    NO_WATCHDOG(
            new Description(
                    "A lease without a watchdog",
                    "work that takes longer than the lease",
                    "The work takes longer than the lease, so the next caller gets the lock while the first one still"
                            + " works.",
                    "The watchdog renews the lease while the holder works; the next caller waits."),
            new Lock(LockKind.TOKEN, millis(1000), millis(1000)),
            new Prediction(1, 2, false),
            ExhibitServerKind.STANDALONE,
            Interleaving::workForLong),
    FAILOVER(
            new Description(
                    "A lock on an asynchronous replica",
                    "a failover",
                    "The master dies before the replica has the lock; the promoted replica grants it again.",
                    "The history guard detects the failover and grants nothing for max-lease; the holder gets its lock"
                            + " back."),
            new Lock(LockKind.TOKEN, seconds(60), seconds(4)),
            new Prediction(1, 2, false),
            ExhibitServerKind.SENTINEL,
            Interleaving::failOver),
    DOUBLE_FAILOVER(
            new Description(
                    "Two failovers within one lease",
                    "two failovers",
                    "Each promoted replica lacks the newest lock and grants it again: three owners.",
                    "Each failover restarts the wait for max-lease; the holder gets its lock back both times."),
            new Lock(LockKind.TOKEN, seconds(60), seconds(4)),
            new Prediction(2, 3, false),
            ExhibitServerKind.SENTINEL,
            Interleaving::failOverTwice),
    REDLOCK_CLOCK(
            new Description(
                    "Redlock as first published",
                    "the clock of one server jumps",
                    "The clock of one server of the majority jumps forward, its key expires, and a second majority"
                            + " grants the lock.",
                    "For max-lease, a client ignores the vote of a server whose clock it has seen change."),
            new Lock(LockKind.REDLOCK, seconds(30), seconds(2)),
            new Prediction(1, 2, false),
            ExhibitServerKind.QUORUM_WITH_A_CLOCK,
            Interleaving::forget),
    REDLOCK_RESTART(
            new Description(
                    "Redlock as first published",
                    "one server restarts empty",
                    "One server of the majority restarts without its data, and a second majority grants the lock.",
                    "A server that has lost its data grants nothing for max-lease; the holder gets its lock back"
                            + " there."),
            new Lock(LockKind.REDLOCK, seconds(30), seconds(2)),
            new Prediction(1, 2, false),
            ExhibitServerKind.QUORUM_WITH_A_RESTART,
            Interleaving::forget),
    LATE_WRITE(
            new Description(
                    "A late write",
                    "the holder is paused before its write",
                    "The holder is paused right before its write, beyond its lease. Its late write overwrites that of"
                            + " the next holder.",
                    "No lease prevents the second owner; the store rejects the late write because its fencing token is"
                            + " old."),
            new Lock(LockKind.TOKEN, millis(1000), millis(1000)),
            new Prediction(1, 2, false),
            ExhibitServerKind.STANDALONE,
            Interleaving::writeLate);

    /** Three times the lease of a broken lock that blocks: with an expiry, its key would be gone. */
    private static final Duration BLOCKED = Duration.ofSeconds(3);

    /** Less than our lease, so an owner within this time has taken the lock over. */
    private static final Duration TAKEN_OVER = Duration.ofSeconds(8);

    private static final Duration GRANTED = Duration.ofSeconds(20);

    private final Description description;
    private final Lock lock;
    private final Prediction prediction;
    private final ExhibitServerKind servers;
    private final Interleaving interleaving;

    Exhibit(
            Description description,
            Lock lock,
            Prediction prediction,
            ExhibitServerKind servers,
            Interleaving interleaving) {
        this.description = description;
        this.lock = lock;
        this.prediction = prediction;
        this.servers = servers;
        this.interleaving = interleaving;
    }

    /**
     * Description of an exhibit.
     *
     * @param breaks the fault
     * @param flaw a sentence about the broken lock
     * @param remedy a sentence about ours
     */
    public record Description(String title, String breaks, String flaw, String remedy) {}

    /** The broken lock, and both leases. */
    record Lock(LockKind kind, Duration lease, Duration ourLease) {}

    /** Expected result of the broken lock in each round: lost updates, owners at once, and whether it blocks. */
    record Prediction(int lost, int owners, boolean blocks) {}

    public static Exhibit of(String id) {
        return KebabCase.find(Exhibit.class, id).orElseThrow();
    }

    /** Name on the command line and in JSON, such as {@code setnx}. */
    public String id() {
        return KebabCase.of(this);
    }

    public Description description() {
        return description;
    }

    /**
     * Whether its fault is possible on this machine. Nothing replaces a clock jump: a key that merely expires is
     * another fault, which no Redlock client can detect.
     */
    public boolean isPlayable() {
        return servers != ExhibitServerKind.QUORUM_WITH_A_CLOCK || RedisServer.canSetClock();
    }

    Lock lock() {
        return lock;
    }

    Prediction prediction() {
        return prediction;
    }

    /** Writes that the store must reject with our lock in each round: only a write that no lease prevents. */
    int refusedWithOurs() {
        return this == LATE_WRITE ? 1 : 0;
    }

    /** Allowed owners at once with our lock: two where the store has to reject a write. */
    int ownersOfOurs() {
        return 1 + refusedWithOurs();
    }

    /** How long a caller waits before it counts as blocked. */
    Duration patience(boolean broken) {
        if (!prediction.blocks()) {
            return GRANTED;
        }
        return broken ? BLOCKED : TAKEN_OVER;
    }

    Interleaving interleaving() {
        return interleaving;
    }

    ExhibitServerKind servers() {
        return servers;
    }

    private static Duration seconds(long amount) {
        return Duration.ofSeconds(amount);
    }

    private static Duration millis(long amount) {
        return Duration.ofMillis(amount);
    }
}
