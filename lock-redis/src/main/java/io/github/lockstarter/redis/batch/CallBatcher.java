package io.github.lockstarter.redis.batch;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Collects calls while earlier ones are under way, and sends what it has collected as one. A call that finds nothing
 * under way goes out at once, by itself, so that nothing is delayed where there is no load.
 *
 * <p>Invariant: while a call waits, a call is under way whose end sends the next ones, and a timeout is due that sends
 * them if that end does not come. {@link #underWay} counts the
 * calls under way; who raises it sends, and lowers it only when it has found no call waiting. A call that arrives after
 * that look sees the lower count, and sends. No call is sent before one that its thread has handed over earlier.
 * Callers' threads and event loops call; nothing blocks.
 *
 * @param <C> a call
 * @param <R> its result
 */
final class CallBatcher<C, R> {

    /**
     * Most calls that travel together. The server does nothing else meanwhile: 32 acquisitions keep it busy for about
     * 0.2 ms.
     */
    static final int MOST = 32;

    /** Most calls under way while answers come, each with what was collected before it. */
    static final int MOST_UNDER_WAY = 1;

    /** A server that has not answered for so long may hang: what was collected is sent without waiting for it. */
    static final Duration PATIENCE = Duration.ofMillis(50);

    /**
     * Sends calls.
     *
     * @param <C> a call
     * @param <R> its result
     */
    interface Sender<C, R> {

        /** Sends a call by itself. */
        CompletionStage<R> one(C call);

        /** Sends several calls as one, and completes each. Completed when the server has answered. */
        CompletionStage<?> many(List<Collected<C, R>> calls);
    }

    /**
     * A call that was collected, and its result.
     *
     * @param <C> the call
     * @param <R> its result
     */
    static final class Collected<C, R> extends PendingCall<R> {

        private final C call;
        private final Consumer<Collected<C, R>> ended;
        private final long collectedAt = System.nanoTime();

        private Collected(C call, Consumer<Collected<C, R>> ended) {
            this.call = call;
            this.ended = ended;
        }

        C call() {
            return call;
        }

        @Override
        void ended() {
            ended.accept(this);
        }

        private boolean isOverdue() {
            return System.nanoTime() - collectedAt >= PATIENCE.toNanos();
        }
    }

    private final Sender<C, R> sender;
    private final ScheduledExecutorService timer;
    private final Consumer<Collected<C, R>> ended;
    private final AtomicBoolean isWatched = new AtomicBoolean();
    private final Queue<Collected<C, R>> waiting = new ConcurrentLinkedQueue<>();
    private final AtomicInteger underWay = new AtomicInteger();
    private final BiConsumer<@Nullable Object, @Nullable Throwable> whenEnded = this::sendNext;

    /**
     * Has sent nothing yet.
     *
     * @param timer ends the wait for a server that hangs
     * @param ended hears of each collected call that has its result
     */
    CallBatcher(Sender<C, R> sender, ScheduledExecutorService timer, Consumer<Collected<C, R>> ended) {
        this.sender = sender;
        this.timer = timer;
        this.ended = ended;
    }

    /** Sends a call: now, or, as a {@link Collected} one, with those that come while others are under way. */
    CompletionStage<R> send(C call) {
        if (waiting.isEmpty() && begin()) {
            CompletionStage<R> result = sender.one(call);
            result.whenComplete(whenEnded);
            return result;
        }
        Collected<C, R> collected = new Collected<>(call, ended);
        waiting.add(collected);
        if (begin()) {
            sendWaiting();
        } else {
            watch();
        }
        return collected;
    }

    /** Looks after the calls that wait until there are none. A timer that was ended has ended the connection, too. */
    private void watch() {
        if (isWatched.compareAndSet(false, true)) {
            try {
                timer.schedule(this::look, PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException ended) {
                isWatched.set(false);
            }
        }
    }

    private void look() {
        isWatched.set(false);
        Collected<C, R> oldest = waiting.peek();
        while (oldest != null && oldest.isOverdue()) {
            underWay.incrementAndGet();
            sendWaiting();
            oldest = waiting.peek();
        }
        if (oldest != null) {
            watch();
        }
    }

    private boolean begin() {
        int now = underWay.get();
        while (now < MOST_UNDER_WAY) {
            if (underWay.compareAndSet(now, now + 1)) {
                return true;
            }
            now = underWay.get();
        }
        return false;
    }

    private void sendNext(@Nullable Object value, @Nullable Throwable failure) {
        sendWaiting();
    }

    /** In a loop, since a call that cannot be sent ends at once. */
    private void sendWaiting() {
        while (true) {
            List<Collected<C, R>> next = next();
            if (next.isEmpty()) {
                underWay.decrementAndGet();
                if (waiting.isEmpty() || !begin()) {
                    return;
                }
                continue;
            }
            CompletableFuture<?> sent = sent(next).toCompletableFuture();
            if (!sent.isDone()) {
                sent.whenComplete(whenEnded);
                return;
            }
        }
    }

    private CompletionStage<?> sent(List<Collected<C, R>> calls) {
        CompletionStage<?> sent;
        if (calls.size() > 1) {
            sent = sender.many(calls);
        } else {
            Collected<C, R> single = calls.get(0);
            CompletionStage<R> result = sender.one(single.call);
            single.completeAs(result);
            sent = result;
        }
        calls.forEach(PendingCall::sent);
        return sent;
    }

    private List<Collected<C, R>> next() {
        List<Collected<C, R>> next = new ArrayList<>();
        while (next.size() < MOST) {
            Collected<C, R> collected = waiting.poll();
            if (collected == null) {
                break;
            }
            next.add(collected);
        }
        return next;
    }
}
