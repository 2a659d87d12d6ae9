package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A backend that answers when the test says so, for interleavings that no server can be made to produce. Every command
 * is recorded in the order in which it was sent.
 */
public final class ManualBackend implements LockBackend {

    /** Absent unless the test sets it. */
    private final Optional<CrashDetection> crashDetection;

    public ManualBackend() {
        this(Optional.empty());
    }

    ManualBackend(Optional<CrashDetection> crashDetection) {
        this.crashDetection = crashDetection;
    }

    /** A command that waits for its answer. */
    public record Sent<C, R>(C command, CompletableFuture<R> answer) {}

    public final List<Object> log = new CopyOnWriteArrayList<>();

    /** Number of renewals per call. */
    final List<Integer> renewCalls = new CopyOnWriteArrayList<>();

    private final List<Runnable> lastAnswers = new CopyOnWriteArrayList<>();
    private final LinkedBlockingQueue<Sent<AcquireCommand, AcquireResult>> acquires = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<Sent<RenewCommand, RenewResult>> renewals = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<Sent<ReleaseCommand, ReleaseResult>> releases = new LinkedBlockingQueue<>();
    private final LinkedBlockingQueue<Sent<ReleaseCommand, ReleaseResult>> withdrawals = new LinkedBlockingQueue<>();

    /** Runs while renewals are being written, on the watchdog's thread. */
    volatile Runnable duringRenewal = () -> {};

    /** Runs while an attempt is being sent, on the thread that sends it. */
    volatile Runnable beforeAcquire = () -> {};

    /** Whether releases are answered at once as unknown. */
    public volatile boolean refusesReleases;

    /** Runs once, while the next withdrawal is being written. */
    volatile Runnable duringWithdrawal = () -> {};

    volatile @Nullable SignalListener listener;

    /** Thrown out of the next acquire, in place of a stage. */
    volatile @Nullable Error planted;

    @Override
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        beforeAcquire.run();
        Error error = planted;
        if (error != null) {
            planted = null;
            throw error;
        }
        return record(command, acquires, new AcquireResult.Rejected("the test is over", new RuntimeException()));
    }

    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        List<CompletionStage<RenewResult>> stages = new ArrayList<>();
        renewCalls.add(commands.size());
        duringRenewal.run();
        commands.forEach(command -> stages.add(record(command, renewals, new RenewResult.NotHeld())));
        return stages;
    }

    @Override
    public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        if (command.endsWait()) {
            Runnable meanwhile = duringWithdrawal;
            duringWithdrawal = () -> {};
            meanwhile.run();
            return record(command, withdrawals, new ReleaseResult.Released(0));
        }
        if (refusesReleases) {
            log.add(command);
            return CompletableFuture.completedFuture(
                    new ReleaseResult.Unknown("queue full", new RuntimeException("queue full")));
        }
        return record(command, releases, new ReleaseResult.Released(0));
    }

    private <C, R> CompletableFuture<R> record(C command, LinkedBlockingQueue<Sent<C, R>> queue, R lastAnswer) {
        CompletableFuture<R> answer = new CompletableFuture<>();
        log.add(command);
        lastAnswers.add(() -> answer.complete(lastAnswer));
        queue.add(new Sent<>(command, answer));
        return answer;
    }

    @Override
    public Optional<CrashDetection> crashDetection() {
        return crashDetection;
    }

    @Override
    public void listen(String instanceId, SignalListener signals) {
        this.listener = signals;
    }

    @Override
    public void close() {}

    Sent<AcquireCommand, AcquireResult> nextAcquire() {
        return next(acquires, "acquire");
    }

    Optional<Sent<AcquireCommand, AcquireResult>> pollAcquire() {
        return Optional.ofNullable(acquires.poll());
    }

    Sent<RenewCommand, RenewResult> nextRenewal() {
        return next(renewals, "renewal");
    }

    Optional<Sent<RenewCommand, RenewResult>> pollRenewal() {
        return Optional.ofNullable(renewals.poll());
    }

    public Sent<ReleaseCommand, ReleaseResult> nextRelease() {
        return next(releases, "release");
    }

    Sent<ReleaseCommand, ReleaseResult> nextWithdrawal() {
        return next(withdrawals, "withdrawal");
    }

    boolean isQuiet() {
        return acquires.isEmpty() && renewals.isEmpty() && releases.isEmpty() && withdrawals.isEmpty();
    }

    /** Drops all recorded commands. */
    void forget() {
        answerTheRest();
        acquires.clear();
        renewals.clear();
        releases.clear();
        withdrawals.clear();
    }

    /** Answers all unanswered commands. */
    public void answerTheRest() {
        lastAnswers.forEach(Runnable::run);
    }

    void signal(String key) {
        mailbox().onSignal(key, 0);
    }

    /** Notifies that another instance waits. */
    void wanted(String key) {
        mailbox().onWanted(key);
    }

    /** Notifies that an operator revoked the lock of the token with this fingerprint. */
    void revoked(String key, String fingerprint) {
        mailbox().onRevoked(key, fingerprint);
    }

    void storeEvent(StoreEvent event) {
        mailbox().onStoreEvent(event);
    }

    /** The mailbox was opened on another connection. */
    void opened() {
        mailbox().onMailboxOpened();
    }

    private SignalListener mailbox() {
        SignalListener registered = listener;
        if (registered == null) {
            throw new AssertionError("No listener");
        }
        return registered;
    }

    /** Once the engine awaits the answer: what it does then is done when the test has completed it. */
    private static <C, R> Sent<C, R> next(LinkedBlockingQueue<Sent<C, R>> queue, String what) {
        try {
            Sent<C, R> sent = queue.poll(Patience.SECONDS, TimeUnit.SECONDS);
            if (sent == null) {
                throw new AssertionError("No " + what + " was sent in time");
            }
            long until = System.nanoTime() + Patience.TIME.toNanos();
            while (sent.answer.getNumberOfDependents() == 0 && !sent.answer.isDone()) {
                assertThat(System.nanoTime()).as("waiting for the answer").isLessThan(until);
                LockSupport.parkNanos(100_000);
            }
            return sent;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("Interrupted while waiting for a " + what, e);
        }
    }
}
