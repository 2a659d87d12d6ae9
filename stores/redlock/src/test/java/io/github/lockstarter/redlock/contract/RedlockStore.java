package io.github.lockstarter.redlock.contract;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.redlock.RedlockBackend;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.QuorumNode;
import io.github.lockstarter.spi.QuorumNode.Vote;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.StoreCapabilities;
import io.github.lockstarter.testing.SettableClock;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Locks of this JVM, kept by a quorum of nodes, of which some may be down. */
final class RedlockStore implements LockStore {

    private static final Duration NODE_TIMEOUT = Duration.ofMillis(200);
    private static final Duration LONGEST_LEASE = Duration.ofSeconds(60);

    private final SettableClock clock = new SettableClock();
    private final List<LocalLockBackend> up;
    private final int down;

    /** Shared with the nodes that can be paused. */
    private final AtomicBoolean paused = new AtomicBoolean();

    RedlockStore(int up, int down) {
        this.up = Stream.generate(() -> new LocalLockBackend(clock::nanos))
                .limit(up)
                .toList();
        this.down = down;
    }

    @Override
    public StoreCapabilities capabilities() {
        return StoreCapabilities.ALL.withOneOwner().withoutTickets();
    }

    @Override
    public boolean knowsTheLastFencingToken() {
        return down == 0;
    }

    @Override
    public LockBackend connect() {
        Stream<QuorumNode> nodes = Stream.concat(
                IntStream.range(0, down).mapToObj(i -> new DownNode()),
                IntStream.range(0, up.size())
                        .mapToObj(i -> new LocalNode(up.get(i), clock, i < majority() ? paused : new AtomicBoolean())));
        return new RedlockBackend(nodes.toList(), LONGEST_LEASE, clock::nanos);
    }

    private int majority() {
        return (up.size() + down) / 2 + 1;
    }

    @Override
    public Optional<Duration> commandTimeout() {
        return Optional.of(NODE_TIMEOUT);
    }

    @Override
    public Optional<SettableClock> clock() {
        return Optional.of(clock);
    }

    @Override
    public void pause() {
        paused.set(true);
    }

    @Override
    public void resume() {
        paused.set(false);
    }

    @Override
    public boolean remembersReleases() {
        return true;
    }

    @Override
    public void close() {
        up.forEach(LocalLockBackend::close);
    }

    /**
     * A node that applications share, and one of them does not close. While it is paused it executes nothing, and
     * answers so when the timeout is over.
     */
    private record LocalNode(LocalLockBackend backend, SettableClock clock, AtomicBoolean paused)
            implements QuorumNode {

        private static final String REASON = "The node did not answer";

        @Override
        public CompletionStage<Vote> vote(AcquireCommand command) {
            OptionalLong micros = OptionalLong.of(clock.nanos() / 1_000);
            return attemptAcquire(command)
                    .thenApply(result ->
                            new Vote(result, result instanceof AcquireResult.Unknown ? OptionalLong.empty() : micros));
        }

        @Override
        public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
            return unlessPaused(() -> backend.attemptAcquire(command), new AcquireResult.Unknown(REASON, late()));
        }

        @Override
        public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
            return paused.get()
                    ? commands.stream()
                            .map(command -> later((RenewResult) new RenewResult.Unknown(REASON, late())))
                            .toList()
                    : backend.renewLeases(commands);
        }

        @Override
        public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
            return unlessPaused(() -> backend.releaseToken(command), new ReleaseResult.Unknown(REASON, late()));
        }

        @Override
        public CompletionStage<StoredLock> inspect(String key, int slot) {
            return unlessPaused(() -> backend.inspect(key, slot), new StoredLock.Unknown(REASON));
        }

        @Override
        public CompletionStage<Revocation> revoke(String key, int slot, long fencingToken) {
            return unlessPaused(() -> backend.revoke(key, slot, fencingToken), new Revocation.Unknown(REASON));
        }

        @Override
        public CompletionStage<StoreState> state() {
            return backend.state();
        }

        @Override
        public void listen(String instanceId, SignalListener listener) {
            backend.listen(instanceId, listener);
        }

        @Override
        public void close() {}

        private <R> CompletionStage<R> unlessPaused(Supplier<CompletionStage<R>> command, R unknown) {
            return paused.get() ? later(unknown) : command.get();
        }

        private static <R> CompletionStage<R> later(R unknown) {
            return new CompletableFuture<R>()
                    .completeOnTimeout(unknown, NODE_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS);
        }

        private static Exception late() {
            return new TimeoutException(REASON);
        }
    }

    /** An unreachable node. */
    private static final class DownNode implements QuorumNode {

        private final IllegalStateException cause = new IllegalStateException("down");

        @Override
        public CompletionStage<Vote> vote(AcquireCommand command) {
            return attemptAcquire(command).thenApply(result -> new Vote(result, OptionalLong.empty()));
        }

        @Override
        public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
            return CompletableFuture.completedFuture(new AcquireResult.Rejected("The node is down", cause));
        }

        @Override
        public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
            return commands.stream()
                    .<CompletionStage<RenewResult>>map(command ->
                            CompletableFuture.completedFuture(new RenewResult.Unknown("The node is down", cause)))
                    .toList();
        }

        @Override
        public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
            return CompletableFuture.completedFuture(new ReleaseResult.Unknown("The node is down", cause));
        }

        @Override
        public CompletionStage<StoreState> state() {
            return CompletableFuture.completedFuture(new StoreState("down", Optional.of("The node is down")));
        }

        @Override
        public void listen(String instanceId, SignalListener listener) {}

        @Override
        public void close() {}
    }
}
