package io.github.lockstarter.engine.backend;

import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.thread.EngineLog;
import io.github.lockstarter.engine.timer.EngineTimer;
import io.github.lockstarter.engine.timer.TimerEntry;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.WithdrawCommand;
import io.github.lockstarter.spi.WithdrawResult;
import java.time.Duration;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Releases in the background what may have been granted, or may not have been released, until an answer comes or the
 * lease must be over. Each is tried at once: the backend may consist of several servers, and this one's may be fine.
 * What had no answer waits: one command at a time probes, with growing delay, so that an outage does not fill the
 * backend's request queue with releases; with the first answer the others follow.
 *
 * <p>The release of an attempt of unknown outcome proves nothing where it finds no lock: the network, or the backend,
 * may execute the attempt afterwards. It is repeated when twice the time has passed since it was added, and so on until
 * the lease would be over. So a late grant is freed about as long after the grant as that was late.
 *
 * <p>Any thread adds; the timer and the backend's threads go on. {@link #reachable} is the last thing known of the
 * backend, {@link #underWay} bounds what is sent at a time, {@link #rounds} counts the calls that the one sending
 * thread still has to serve, {@link #probing} is true while the probe's timer is set, {@link #remembered} counts the
 * releases without an answer, {@link #repeating} those that had one and are sent again, and {@link #overflowing} is
 * true from the first release that was dropped to the next answer.
 */
public final class PendingReleases extends TimerEntry {

    private static final long FIRST_DELAY = 50_000_000;
    private static final long LONGEST_DELAY = 1_000_000_000;
    private static final int MOST_UNDER_WAY = 256;

    /** About 30 MB. What falls out ends with its lease. */
    public static final int MOST_REMEMBERED = 65_536;

    /** What exceeds this ends with its lease, if it was granted late. */
    static final int MOST_REPEATED = 4_096;

    private final class Item extends TimerEntry {

        private final ReleaseCommand command;
        private final boolean isOfAttempt;
        private final long addedAt = clock.nanos();
        private final long giveUpAt;

        Item(ReleaseCommand command, boolean isOfAttempt, Duration lease) {
            this.command = command;
            this.isOfAttempt = isOfAttempt;
            this.giveUpAt = addedAt + lease.toNanos();
        }

        /** Whether a grant may follow that this release did not find. */
        boolean mayComeLate(ReleaseResult result, long now) {
            boolean foundNothing = result instanceof ReleaseResult.FoundFree || result instanceof ReleaseResult.NotHeld;
            return isOfAttempt && foundNothing && now - giveUpAt < 0;
        }

        @Override
        public void fire() {
            repeating.decrementAndGet();
            add(this);
        }
    }

    private final BackendCalls backend;
    private final EngineClock clock;
    private final EngineTimer timer;
    private final Duration longestLease;
    private final int most;
    private final ConcurrentLinkedQueue<Item> untried = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Item> unanswered = new ConcurrentLinkedQueue<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger rounds = new AtomicInteger();
    private final AtomicBoolean probing = new AtomicBoolean();
    private final AtomicInteger remembered = new AtomicInteger();
    private final AtomicInteger repeating = new AtomicInteger();
    private final AtomicBoolean overflowing = new AtomicBoolean();
    private volatile boolean reachable = true;
    private volatile long delay = FIRST_DELAY;

    /**
     * Without releases yet.
     *
     * @param longestLease what a grant may last whose lease is not known
     * @param most how many releases are remembered until an answer comes
     */
    public PendingReleases(
            BackendCalls backend, EngineClock clock, EngineTimer timer, Duration longestLease, int most) {
        this.backend = backend;
        this.clock = clock;
        this.timer = timer;
        this.longestLease = longestLease;
        this.most = most;
    }

    /** Ends the wait of this instance for the key, and releases what the token may have acquired. */
    public void withdraw(String key, LockToken token) {
        backend.withdraw(new WithdrawCommand(key, token), result -> {
            if (result instanceof WithdrawResult.Unknown) {
                add(new ReleaseCommand(key, token, 0), longestLease);
            }
        });
    }

    /** Sends the release now, and again until an answer comes or the lease, counted from now, is over. */
    public void add(ReleaseCommand command, Duration lease) {
        add(new Item(command, false, lease));
    }

    /** The same, of an attempt of unknown outcome: until then, it is repeated also if it finds nothing. */
    public void addAttempt(ReleaseCommand command, Duration lease) {
        add(new Item(command, true, lease));
    }

    private void add(Item item) {
        makeRoom();
        untried.add(item);
        sendWaiting();
    }

    /** The oldest goes first: of one lease length, it ends first. */
    private void makeRoom() {
        if (remembered.incrementAndGet() > most) {
            Item oldest = unanswered.poll();
            Item dropped = oldest == null ? untried.poll() : oldest;
            if (dropped != null) {
                remembered.decrementAndGet();
                if (overflowing.compareAndSet(false, true)) {
                    EngineLog.warn(
                            "More than {} locks wait to be released until the lock store answers; the engine drops"
                                    + " the oldest releases, and these locks end with their leases",
                            most);
                }
            }
        }
    }

    /**
     * Sends what waits while the backend answers, up to the bound; each answer makes room for the next. One thread at a
     * time: a thread that finds another one sending has it go round once more, also within an answer that came at once.
     */
    private void sendWaiting() {
        if (rounds.getAndIncrement() > 0) {
            return;
        }
        int done = 1;
        do {
            EngineLog.guard("Cleaning up after an unknown outcome", this::sendRound);
            done = rounds.addAndGet(-done);
        } while (done > 0);
    }

    private void sendRound() {
        while (underWay.get() < MOST_UNDER_WAY) {
            Item item = untried.poll();
            if (item == null && reachable) {
                item = unanswered.poll();
            }
            if (item == null) {
                break;
            }
            send(item);
        }
        if (!reachable && !unanswered.isEmpty()) {
            probeLater();
        }
    }

    private void send(Item item) {
        underWay.incrementAndGet();
        backend.release(item.command, result -> {
            underWay.decrementAndGet();
            if (result instanceof ReleaseResult.Unknown) {
                failed(item);
            } else {
                answered(item, result);
            }
        });
    }

    private void answered(Item item, ReleaseResult result) {
        remembered.decrementAndGet();
        long now = clock.nanos();
        if (item.mayComeLate(result, now) && repeating.get() < MOST_REPEATED) {
            repeating.incrementAndGet();
            timer.schedule(item, now + Math.max(FIRST_DELAY, now - item.addedAt));
        }
        overflowing.set(false);
        reachable = true;
        delay = FIRST_DELAY;
        sendWaiting();
    }

    private void failed(Item item) {
        reachable = false;
        if (clock.nanos() - item.giveUpAt < 0) {
            unanswered.add(item);
        } else {
            remembered.decrementAndGet();
        }
        sendWaiting();
    }

    private void probeLater() {
        if (probing.compareAndSet(false, true)) {
            timer.schedule(this, clock.nanos() + delay);
            delay = Math.min(delay * 2, LONGEST_DELAY);
        }
    }

    @Override
    public void fire() {
        probing.set(false);
        Item item = unanswered.poll();
        while (item != null && clock.nanos() - item.giveUpAt >= 0) {
            remembered.decrementAndGet();
            item = unanswered.poll();
        }
        if (item != null) {
            send(item);
        }
    }
}
