package io.github.lockstarter.redlock;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.BackendGuard;
import io.github.lockstarter.spi.FailedResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.Outages;
import io.github.lockstarter.spi.QuorumNode;
import io.github.lockstarter.spi.QuorumNode.Vote;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * One node of the quorum. Turns unexpected exceptions into failed results, discounts votes after a clock step, reports
 * outages, and frees abandoned tokens, if necessary when the node answers again. Thread-safe.
 */
final class QuorumMember {

    private static final String UNEXPECTED_FAILURE = "A node of the quorum failed unexpectedly";

    private static final Duration STATE_PATIENCE = Duration.ofSeconds(3);
    private static final String LATE = "It did not answer within " + STATE_PATIENCE.toSeconds() + "s";

    private static final String CLOCK_SET =
            "Its clock was set: its leases may end too early, so its votes do not count for the longest lease";

    private final QuorumNode store;
    private final LongSupplier monotonicNanos;
    private final long longestLease;
    private final NodeClock clock;
    private final Outages outages;
    private final UnreleasedTokens unreleased = new UnreleasedTokens();

    QuorumMember(QuorumNode store, LongSupplier monotonicNanos, Duration longestLease, Consumer<StoreEvent> receiver) {
        this.store = store;
        this.monotonicNanos = monotonicNanos;
        this.longestLease = longestLease.toNanos();
        this.clock = new NodeClock(this.longestLease);
        this.outages = new Outages(store, StoreEvent.Scope.VOTE, monotonicNanos, receiver);
    }

    CompletionStage<AcquireResult> vote(AcquireCommand command) {
        long sent = now();
        long epoch = outages.epoch();
        return ask(
                        () -> store.vote(command),
                        e -> new Vote(new AcquireResult.Unknown(UNEXPECTED_FAILURE, e), OptionalLong.empty()),
                        vote -> {
                            vote.storeMicros().ifPresent(micros -> clock.observe(micros, sent, now()));
                            answered(command.key(), vote.result(), epoch);
                        })
                .thenApply(Vote::result);
    }

    /** A grant from a node whose clock was set proves nothing and counts as recovering. */
    AcquireResult weighed(AcquireResult result) {
        if (!(result instanceof AcquireResult.Granted)) {
            return result;
        }
        long untrusted = clock.untrustedFor(now());
        return untrusted == 0
                ? result
                : new AcquireResult.Recovering(Duration.ofNanos(untrusted), "the clock of " + store + " was set");
    }

    CompletionStage<AcquireResult> attemptAtNode(AcquireCommand command) {
        return command(
                command.key(),
                () -> store.attemptAcquire(command),
                e -> new AcquireResult.Unknown(UNEXPECTED_FAILURE, e));
    }

    List<CompletionStage<RenewResult>> renewAtNode(List<RenewCommand> commands) {
        long epoch = outages.epoch();
        List<CompletionStage<RenewResult>> stages =
                BackendGuard.stagesOf(commands.size(), () -> store.renewLeases(commands));
        return IntStream.range(0, commands.size())
                .mapToObj(i -> ask(
                        () -> stages.get(i),
                        e -> new RenewResult.Unknown(UNEXPECTED_FAILURE, e),
                        result -> answered(commands.get(i).key(), result, epoch)))
                .toList();
    }

    CompletionStage<ReleaseResult> releaseAtNode(ReleaseCommand command) {
        return releaseAtNode(command, now() + longestLease);
    }

    private CompletionStage<ReleaseResult> releaseAtNode(ReleaseCommand command, long until) {
        return send(command).thenApply(result -> {
            if (result instanceof ReleaseResult.Unknown) {
                unreleased.add(command.releasing(command.slots()), until);
            }
            return result;
        });
    }

    private CompletionStage<ReleaseResult> send(ReleaseCommand command) {
        return command(
                command.key(),
                () -> store.releaseToken(command),
                e -> new ReleaseResult.Unknown(UNEXPECTED_FAILURE, e));
    }

    /**
     * Leaves the queue without releasing a token of the instance. If the command is lost, the place ends with its
     * patience.
     */
    void leaveQueue(String key, String instanceId) {
        send(ReleaseCommand.endOfWait(key, new LockToken(instanceId, LockToken.NO_ATTEMPT)));
    }

    void free(String key, LockToken token) {
        releaseAtNode(new ReleaseCommand(key, token, 0));
    }

    CompletionStage<StoredLock> inspect(String key) {
        return ask(
                () -> store.inspect(key, 0), e -> new StoredLock.Unknown(brokenBy(e)), seen -> outages.told(key, seen));
    }

    CompletionStage<Revocation> revoke(String key, long fencingToken) {
        return ask(
                () -> store.revoke(key, 0, fencingToken),
                e -> new Revocation.Unknown(brokenBy(e)),
                revocation -> outages.told(key, revocation));
    }

    /**
     * Within 3 s, so that a node that hangs does not delay the others past the operator's longer timeout. The node
     * recovers at least as long as its votes do not count.
     */
    CompletionStage<StoreState> state() {
        CompletionStage<StoreState> told = ask(store::state, e -> failed(brokenBy(e)), outages::answered);
        CompletableFuture<StoreState> inTime = told.toCompletableFuture()
                .copy()
                .completeOnTimeout(failed(LATE), STATE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        return inTime.thenApply(state -> {
            Duration untrusted = Duration.ofNanos(clock.untrustedFor(now()));
            return untrusted.compareTo(state.recovering()) <= 0 ? state : state.recovering(untrusted, CLOCK_SET);
        });
    }

    private StoreState failed(String reason) {
        return new StoreState(store.toString(), Optional.of(reason));
    }

    private static String brokenBy(Throwable failure) {
        return UNEXPECTED_FAILURE + ": " + failure;
    }

    String name() {
        return store.toString();
    }

    void listen(String instanceId, SignalListener listener) {
        store.listen(instanceId, listener);
    }

    void answered(String server) {
        outages.answered(server);
    }

    void close() {
        store.close();
    }

    private long now() {
        return monotonicNanos.getAsLong();
    }

    private <R> CompletionStage<R> command(
            String key, Supplier<CompletionStage<R>> call, Function<Throwable, R> unknown) {
        long epoch = outages.epoch();
        return ask(call, unknown, result -> answered(key, result, epoch));
    }

    private void answered(String key, Object result, long epoch) {
        outages.ended(key, result, epoch);
        if (!(result instanceof FailedResult)) {
            unreleased.collect(now()).forEach(each -> releaseAtNode(each.release(), each.until()));
        }
    }

    private static <R> CompletionStage<R> ask(
            Supplier<CompletionStage<R>> call, Function<Throwable, R> unknown, Consumer<R> heard) {
        return BackendGuard.stageOf(call).handle((result, failure) -> {
            R certain = BackendGuard.resultOf(result, failure, unknown);
            heard.accept(certain);
            return certain;
        });
    }
}
