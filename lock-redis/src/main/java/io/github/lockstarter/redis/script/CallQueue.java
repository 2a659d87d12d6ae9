package io.github.lockstarter.redis.script;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.internal.ThreadExecutorMap;
import java.time.Duration;
import java.util.ArrayDeque;
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
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The calls of one connection, first come, first served, except that attempts let all other calls pass. Where earlier
 * calls are unanswered, neighbours of one kind are collected and sent as one script; where none is, a call goes out at
 * once, by itself, so that nothing is delayed without load.
 *
 * <p>Invariants. Calls that are no attempts reach the server in the order in which they were added, and an attempt
 * after all that were added before it. So an attempt follows the release that its thread has sent before; and since the
 * engine sends a token's release after the answer to its attempt, nothing else needs an order. Fewer than {@value
 * #MOST_UNANSWERED} calls are unanswered when an attempt is sent. Each call that was added gets a result: while one
 * is held back, an answer is due that sends it, and {@link #PATIENCE} sends it if the answer does not come. An attempt
 * for which there is no room within the command timeout is answered as not sent.
 *
 * <p>Any thread adds, and takes answers. One thread at a time sends: {@link #rounds} counts the looks that it still has
 * to take at {@link #added}, and {@link #ordered} and {@link #attempts} are its own. On an event loop it sends from a
 * task of its own: the client writes at once what the loop itself sends, ahead of what other threads have handed to the
 * loop before, and these are earlier tasks. {@link #isHolding} is set before {@link #unanswered} is read, and read
 * after that was lowered, so that no answer is missed. Nothing blocks.
 */
public final class CallQueue {

    /** Most calls that travel together. 32 acquisitions keep the server busy for about 0.2 ms. */
    static final int MOST = 32;

    /** From so many unanswered calls on, attempts wait: what Redis answers in a fraction of the timeout. */
    static final int MOST_UNANSWERED = 256;

    /** From so many unanswered scripts on, calls are collected: two let acquisitions and releases overlap. */
    static final int COLLECTS_FROM = 2;

    /** A server that has not answered for so long may hang: what was collected is sent without waiting for it. */
    static final Duration PATIENCE = Duration.ofMillis(50);

    /**
     * Sends calls of one kind.
     *
     * @param <C> what to do
     * @param <R> its result
     */
    public interface Sender<C, R> {

        /** Whether the call may travel with others. */
        boolean isCollected(C command);

        /** Sends them as one. Completed with the result of each, in their order, when the server has answered. */
        CompletionStage<List<R>> send(List<C> commands);

        /** The result of an attempt that was not sent in time. */
        default R unsent(C command) {
            throw new UnsupportedOperationException("Only attempts wait for room");
        }
    }

    /** A call, and its result. */
    private static final class Call<C, R> extends CompletableFuture<R> {

        private final Sender<C, R> sender;
        private final C command;
        private final boolean isAttempt;
        private final boolean isCollected;
        private final long addedAt;

        Call(Sender<C, R> sender, C command, boolean isAttempt, long addedAt) {
            this.sender = sender;
            this.command = command;
            this.isAttempt = isAttempt;
            this.addedAt = addedAt;
            this.isCollected = sender.isCollected(command);
        }
    }

    /** Sends what it is given. */
    private record Alone<R>() implements Sender<Supplier<CompletionStage<R>>, R> {

        @Override
        public boolean isCollected(Supplier<CompletionStage<R>> command) {
            return false;
        }

        @Override
        public CompletionStage<List<R>> send(List<Supplier<CompletionStage<R>>> commands) {
            return commands.get(0).get().thenApply(List::of);
        }
    }

    private final ScheduledExecutorService timer;
    private final Duration commandTimeout;
    private final LongSupplier nanoTime;
    private final Queue<Call<?, ?>> added = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<Call<?, ?>> ordered = new ArrayDeque<>();
    private final ArrayDeque<Call<?, ?>> attempts = new ArrayDeque<>();
    private final AtomicInteger rounds = new AtomicInteger();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final AtomicInteger unansweredCalls = new AtomicInteger();
    private final AtomicBoolean isWatched = new AtomicBoolean();
    private volatile boolean isHolding;

    /**
     * Has sent nothing yet.
     *
     * @param timer ends the wait for a server that hangs
     * @param commandTimeout for how long an attempt waits until it is sent
     * @param nanoTime the clock
     */
    public CallQueue(ScheduledExecutorService timer, Duration commandTimeout, LongSupplier nanoTime) {
        this.timer = timer;
        this.commandTimeout = commandTimeout;
        this.nanoTime = nanoTime;
    }

    /** Sends a call that takes a lock, behind all that were added before. */
    public <C, R> CompletionStage<R> attempt(Sender<C, R> sender, C command) {
        return add(new Call<>(sender, command, true, nanoTime.getAsLong()));
    }

    /** Sends a call in its turn, ahead of attempts that wait. */
    public <C, R> CompletionStage<R> inOrder(Sender<C, R> sender, C command) {
        return add(new Call<>(sender, command, false, nanoTime.getAsLong()));
    }

    /** The same, of a call that travels alone. */
    public <R> CompletionStage<R> inOrder(Supplier<CompletionStage<R>> call) {
        return inOrder(new Alone<>(), call);
    }

    private <C, R> Call<C, R> add(Call<C, R> call) {
        added.add(call);
        sendDue();
        return call;
    }

    private void answered(int calls) {
        unansweredCalls.addAndGet(-calls);
        unanswered.decrementAndGet();
        if (isHolding) {
            sendDue();
        }
    }

    private void sendDue() {
        if (rounds.getAndIncrement() > 0) {
            return;
        }
        EventExecutor loop = ThreadExecutorMap.currentExecutor();
        try {
            if (loop != null) {
                loop.execute(this::sendRounds);
                return;
            }
        } catch (RejectedExecutionException | Error e) {
            // The client is being closed, and answers what it is given; or lacks memory for a task.
        }
        sendRounds();
    }

    private void sendRounds() {
        int done = 1;
        do {
            try {
                sendRound();
            } catch (Throwable e) { // such as for want of memory: what was added stays, and the timer looks again
                watch();
            }
            done = rounds.addAndGet(-done);
        } while (done > 0);
    }

    private void sendRound() {
        isHolding = true;
        for (Call<?, ?> call = added.peek(); call != null; call = added.peek()) {
            (call.isAttempt ? attempts : ordered).add(call);
            added.poll();
        }
        for (ArrayDeque<Call<?, ?>> line = dueLine(); line != null; line = dueLine()) {
            send(neighbours(line));
        }
        giveUpLate();
        isHolding = !ordered.isEmpty() || !attempts.isEmpty();
        if (isHolding) {
            watch();
        }
    }

    private @Nullable ArrayDeque<Call<?, ?>> dueLine() {
        boolean areAttemptsDue = unansweredCalls.get() < MOST_UNANSWERED && isDue(attempts);
        if (!ordered.isEmpty()) {
            return areAttemptsDue || isDue(ordered) ? ordered : null;
        }
        return areAttemptsDue ? attempts : null;
    }

    /** Whether there is a call that is not to wait for more of its kind. */
    private boolean isDue(ArrayDeque<Call<?, ?>> line) {
        Call<?, ?> first = line.peekFirst();
        return first != null
                && (unanswered.get() < COLLECTS_FROM
                        || line.size() >= MOST
                        || !first.isCollected
                        || !line.getLast().isCollected
                        || isOlder(first, PATIENCE));
    }

    private boolean isOlder(Call<?, ?> call, Duration age) {
        return nanoTime.getAsLong() - call.addedAt >= age.toNanos();
    }

    private static List<Call<?, ?>> neighbours(ArrayDeque<Call<?, ?>> line) {
        List<Call<?, ?>> neighbours = new ArrayList<>(Math.min(line.size(), MOST));
        Call<?, ?> first = line.getFirst();
        Call<?, ?> next = first;
        do {
            neighbours.add(next);
            line.removeFirst();
            next = line.peekFirst();
        } while (next != null
                && next.isCollected
                && first.isCollected
                && next.sender == first.sender
                && neighbours.size() < MOST);
        return neighbours;
    }

    /** All are of one kind. */
    @SuppressWarnings("unchecked")
    private <C, R> void send(List<Call<?, ?>> neighbours) {
        List<Call<C, R>> calls = (List<Call<C, R>>) (List<?>) neighbours;
        int count = calls.size();
        unanswered.incrementAndGet();
        unansweredCalls.addAndGet(count);
        CompletionStage<List<R>> sent;
        try {
            List<C> commands = new ArrayList<>(count);
            calls.forEach(call -> commands.add(call.command));
            sent = calls.get(0).sender.send(commands);
        } catch (Throwable e) { // such as for want of memory: each caller gets the failure
            sent = CompletableFuture.failedFuture(e);
        }
        sent.whenComplete((results, failure) -> {
            try {
                for (int i = 0; i < count; i++) {
                    if (failure == null) {
                        calls.get(i).complete(results.get(i));
                    } else {
                        calls.get(i).completeExceptionally(failure);
                    }
                }
            } finally {
                answered(count);
            }
        });
    }

    private void giveUpLate() {
        Call<?, ?> first = attempts.peekFirst();
        while (first != null && isOlder(first, commandTimeout)) {
            attempts.removeFirst();
            completeUnsent(first);
            first = attempts.peekFirst();
        }
    }

    private static <C, R> void completeUnsent(Call<C, R> call) {
        call.complete(call.sender.unsent(call.command));
    }

    /** A timer that was ended has ended the connection, too. For want of memory, the next call looks. */
    private void watch() {
        if (isWatched.compareAndSet(false, true)) {
            try {
                timer.schedule(this::look, PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException | Error e) {
                isWatched.set(false);
            }
        }
    }

    private void look() {
        isWatched.set(false);
        sendDue();
    }
}
