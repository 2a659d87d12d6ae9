package io.github.lockstarter.redis;

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
 * Calls of one connection in FIFO order, except that all other calls overtake attempts. Adjacent calls of one kind are
 * batched into one script call if they were added together, or while earlier calls are unanswered; without load a call
 * is sent at once and alone.
 * <p>Invariants. Calls that are not attempts reach the server in the order of adding, and an attempt follows all calls
 * added before it, such as a release of its thread. No other order matters, since the engine sends a token's release
 * after the answer to its attempt. Fewer than {@value #MOST_UNANSWERED} calls are unanswered when an attempt is sent.
 * While calls are held back, the next answer sends them, or else a timer after {@link #PATIENCE}. An attempt that finds
 * no room within the command timeout completes as not sent.
 * <p>Any thread adds calls and receives answers; only tasks of the client's event loop send. So no thread of the
 * application can delay the calls of others, and all writes come from one thread: Lettuce writes at once what a
 * connection's own loop sends, ahead of calls that other threads sent before. {@link #rounds} counts the requests for
 * a pass over {@link #added} since the last one began, and is zero if no pass is due or under way, even after an
 * error; only passes use {@link #ordered} and {@link #attempts}. {@link #holding} is set before
 * reading {@link #unanswered} and read after lowering it, so that no answer is missed.
 */
final class CallQueue {

    /** Maximum batch size: 32 acquisitions or renewals occupy the server for about 0.2 ms (docs/evidence.md). */
    static final int MOST = 32;

    /** Unanswered calls from which on attempts wait: Redis answers so many in a fraction of the timeout. */
    static final int MOST_UNANSWERED = 256;

    /** Unanswered scripts from which on calls are batched: two let acquisitions and releases overlap. */
    static final int COLLECTS_FROM = 2;

    /** Maximum delay of a batch; covers a server that hangs. */
    static final Duration PATIENCE = Duration.ofMillis(50);

    public interface Sender<C, R> {

        boolean isCollected(C command);

        CompletionStage<List<R>> send(List<C> commands);

        default R unsent(C command) {
            throw new UnsupportedOperationException("Only attempts wait for room");
        }
    }

    private static final class QueuedCall<C, R> extends CompletableFuture<R> {

        private final Sender<C, R> sender;
        private final C command;
        private final boolean attempt;
        private final boolean collected;
        private final long addedAt;

        QueuedCall(Sender<C, R> sender, C command, boolean attempt, long addedAt) {
            this.sender = sender;
            this.command = command;
            this.attempt = attempt;
            this.addedAt = addedAt;
            this.collected = sender.isCollected(command);
        }
    }

    private record SingleCall<R>() implements Sender<Supplier<CompletionStage<R>>, R> {

        @Override
        public boolean isCollected(Supplier<CompletionStage<R>> command) {
            return false;
        }

        @Override
        public CompletionStage<List<R>> send(List<Supplier<CompletionStage<R>>> commands) {
            return commands.get(0).get().thenApply(List::of);
        }
    }

    private final ScheduledExecutorService loop;
    private final Duration commandTimeout;
    private final LongSupplier nanoTime;
    private final Queue<QueuedCall<?, ?>> added = new ConcurrentLinkedQueue<>();
    private final ArrayDeque<QueuedCall<?, ?>> ordered = new ArrayDeque<>();
    private final ArrayDeque<QueuedCall<?, ?>> attempts = new ArrayDeque<>();
    private final AtomicInteger rounds = new AtomicInteger();
    private final AtomicInteger unanswered = new AtomicInteger();
    private final AtomicInteger unansweredCalls = new AtomicInteger();
    private final AtomicBoolean isWatched = new AtomicBoolean();
    private volatile boolean holding;

    public CallQueue(ScheduledExecutorService loop, Duration commandTimeout, LongSupplier nanoTime) {
        this.loop = loop;
        this.commandTimeout = commandTimeout;
        this.nanoTime = nanoTime;
    }

    public <C, R> CompletionStage<R> attempt(Sender<C, R> sender, C command) {
        return add(new QueuedCall<>(sender, command, true, nanoTime.getAsLong()));
    }

    public <C, R> CompletionStage<R> inOrder(Sender<C, R> sender, C command) {
        return add(new QueuedCall<>(sender, command, false, nanoTime.getAsLong()));
    }

    /** Adds calls together, so that they share batches even without load. */
    public <C, R> List<CompletionStage<R>> inOrder(Sender<C, R> sender, List<C> commands) {
        List<QueuedCall<C, R>> calls = commands.stream()
                .map(command -> new QueuedCall<>(sender, command, false, nanoTime.getAsLong()))
                .toList();
        added.addAll(calls);
        sendDue();
        return List.copyOf(calls);
    }

    public <R> CompletionStage<R> inOrder(Supplier<CompletionStage<R>> call) {
        return inOrder(new SingleCall<>(), call);
    }

    private <C, R> QueuedCall<C, R> add(QueuedCall<C, R> call) {
        added.add(call);
        sendDue();
        return call;
    }

    private void answered(int calls) {
        unansweredCalls.addAndGet(-calls);
        unanswered.decrementAndGet();
        if (holding) {
            sendDue();
        }
    }

    private void sendDue() {
        if (rounds.getAndIncrement() > 0) {
            return;
        }
        try {
            loop.execute(this::sendRounds);
        } catch (RejectedExecutionException e) { // The client is closing and rejects calls.
            sendRounds();
        } catch (RuntimeException | Error e) { // such as out of memory: the caller gets it, and the next call retries
            rounds.set(0);
            throw e;
        }
    }

    /** Also runs without a counted round, if the loop accepted this task and threw an error nevertheless. */
    private void sendRounds() {
        boolean done = false;
        try {
            while (!done) {
                int counted = rounds.get();
                try {
                    sendRound();
                } catch (Throwable e) { // such as out of memory: calls stay queued, and the timer retries
                    watch();
                }
                done = rounds.compareAndSet(counted, 0);
            }
        } finally {
            if (!done) {
                rounds.set(0);
            }
        }
    }

    private void sendRound() {
        holding = true;
        for (QueuedCall<?, ?> call = added.peek(); call != null; call = added.peek()) {
            (call.attempt ? attempts : ordered).add(call);
            added.poll();
        }
        for (ArrayDeque<QueuedCall<?, ?>> line = dueLine(); line != null; line = dueLine()) {
            send(neighbours(line));
        }
        giveUpLate();
        holding = !ordered.isEmpty() || !attempts.isEmpty();
        if (holding) {
            watch();
        }
    }

    private @Nullable ArrayDeque<QueuedCall<?, ?>> dueLine() {
        boolean attemptsDue = unansweredCalls.get() < MOST_UNANSWERED && isDue(attempts);
        if (!ordered.isEmpty()) {
            return attemptsDue || isDue(ordered) ? ordered : null;
        }
        return attemptsDue ? attempts : null;
    }

    private boolean isDue(ArrayDeque<QueuedCall<?, ?>> line) {
        QueuedCall<?, ?> first = line.peekFirst();
        return first != null
                && (unanswered.get() < COLLECTS_FROM
                        || line.size() >= MOST
                        || !first.collected
                        || !line.getLast().collected
                        || isOlder(first, PATIENCE));
    }

    private boolean isOlder(QueuedCall<?, ?> call, Duration age) {
        return nanoTime.getAsLong() - call.addedAt >= age.toNanos();
    }

    private static List<QueuedCall<?, ?>> neighbours(ArrayDeque<QueuedCall<?, ?>> line) {
        List<QueuedCall<?, ?>> neighbours = new ArrayList<>(Math.min(line.size(), MOST));
        QueuedCall<?, ?> first = line.getFirst();
        QueuedCall<?, ?> next = first;
        do {
            neighbours.add(next);
            line.removeFirst();
            next = line.peekFirst();
        } while (next != null
                && next.collected
                && first.collected
                && next.sender == first.sender
                && neighbours.size() < MOST);
        return neighbours;
    }

    @SuppressWarnings("unchecked")
    private <C, R> void send(List<QueuedCall<?, ?>> neighbours) {
        List<QueuedCall<C, R>> calls = (List<QueuedCall<C, R>>) (List<?>) neighbours;
        int count = calls.size();
        unanswered.incrementAndGet();
        unansweredCalls.addAndGet(count);
        CompletionStage<List<R>> sent;
        try {
            List<C> commands = new ArrayList<>(count);
            calls.forEach(call -> commands.add(call.command));
            sent = calls.get(0).sender.send(commands);
        } catch (Throwable e) { // such as out of memory: each caller receives the failure
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
        QueuedCall<?, ?> first = attempts.peekFirst();
        while (first != null && isOlder(first, commandTimeout)) {
            attempts.removeFirst();
            completeUnsent(first);
            first = attempts.peekFirst();
        }
    }

    private static <C, R> void completeUnsent(QueuedCall<C, R> call) {
        call.complete(call.sender.unsent(call.command));
    }

    /** A rejecting loop is shut down together with its connection. Out of memory, the next call retries. */
    private void watch() {
        if (isWatched.compareAndSet(false, true)) {
            try {
                loop.schedule(this::look, PATIENCE.toNanos(), TimeUnit.NANOSECONDS);
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
