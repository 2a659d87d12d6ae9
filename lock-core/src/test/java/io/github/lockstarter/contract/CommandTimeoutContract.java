package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A store that stops answering while its connections stay open: each method returns at once, and each command is
 * answered within the command timeout, as unknown. An attempt may be rejected instead if it was not sent.
 */
@Tag(Effort.TIMING)
@Timeout(120)
public abstract class CommandTimeoutContract extends BackendContract {

    /** Allowance for a busy machine. */
    private static final Duration TOLERANCE = Duration.ofSeconds(2);

    /** How often all commands are sent during a pause: a client may close a connection after the first timeouts. */
    private static final int ROUNDS = 2;

    /** Outlives every pause. */
    private static final Duration LONG_LEASE = Duration.ofMinutes(2);

    /** A command to send, and the results that are correct without an answer of the store. */
    private record Command(
            String name, String key, Supplier<List<? extends CompletionStage<?>>> call, List<Class<?>> mayBe) {

        Command(String name, String key, Supplier<List<? extends CompletionStage<?>>> call, Class<?>... mayBe) {
            this(name, key, call, List.of(mayBe));
        }
    }

    /** A command with its answers; a call that renews several locks has several. */
    private record Sent(Command command, List<CompletableFuture<Answer>> answers) {}

    private record Answer(Object result, Duration after) {}

    public CommandTimeoutContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @BeforeEach
    void needsAStoreThatCanBePaused() {
        Needs.of(store).pauses();
    }

    @AfterEach
    void resume() {
        store.resume();
    }

    /** The later commands find connections on which others wait, or which the client gave up and cannot replace. */
    @Test
    void answersEveryCommandWithinTheCommandTimeoutWhileTheStoreHangs() {
        List<List<Command>> rounds = IntStream.range(0, ROUNDS)
                .mapToObj(round -> oneOfEachKind(key + ':' + round))
                .toList();
        store.pause();

        List<Sent> sent = new ArrayList<>();
        for (List<Command> commands : rounds) {
            List<Sent> together = commands.stream().map(this::send).toList();
            together.forEach(this::assertAnsweredInTime);
            sent.addAll(together);
        }

        assertLocksAgain();
        assertRejectedAttemptsHaveNothing(sent);
    }

    /** Some stores queue the commands of a key. */
    @Test
    void answersAllCommandsForOneKeyWithinTheCommandTimeoutWhileTheStoreHangs() {
        SpiHold held = alice.hold(key, LONG_LEASE);
        List<Command> commands = List.of(
                release(held), attempt(key), waitingAttempt(key), inspection(key), revocation(held), attempt(key));
        store.pause();

        List<Sent> sent = commands.stream().map(this::send).toList();

        sent.forEach(this::assertAnsweredInTime);
        assertLocksAgain();
    }

    /** Code of the application may block it: stages behind a timeout of {@link CompletableFuture} run there. */
    @Test
    void answersEveryCommandWithinTheCommandTimeoutWhileTheTimerOfTheJdkIsBlocked() {
        List<Command> commands = oneOfEachKind(key);
        CompletableFuture<Void> end = new CompletableFuture<>();
        CompletableFuture.delayedExecutor(1, TimeUnit.MILLISECONDS, Runnable::run)
                .execute(end::join);
        try {
            store.pause();
            commands.stream().map(this::send).toList().forEach(this::assertAnsweredInTime);
        } finally {
            end.complete(null);
        }
        assertLocksAgain();
    }

    @Test
    void reportsAnOutageOnceAndItsEndOnce() {
        try (Application application = Application.over(store.connect())) {
            await().until(() -> acquires(application));
            application.events().forgetStore();
            store.pause();
            await().until(() -> !acquires(application) && !outages(application).isEmpty());
            assertThat(acquires(application)).isFalse();

            store.resume();
            await().until(() -> acquires(application) && outages(application).size() > 1);
            assertThat(outages(application))
                    .extracting(StoreEvent::getClass)
                    .isEqualTo(List.of(StoreEvent.Unreachable.class, StoreEvent.Reachable.class));
        }
    }

    private static boolean acquires(Application application) {
        try {
            return application
                    .locks()
                    .tryAcquire("contract:" + UUID.randomUUID())
                    .isPresent();
        } catch (LockBackendException noAnswer) {
            return false;
        }
    }

    /** Without outages of single votes. */
    private static List<StoreEvent> outages(Application application) {
        return application.events().ofStore().stream()
                .filter(event -> event instanceof StoreEvent.Unreachable || event instanceof StoreEvent.Reachable)
                .filter(event -> event.scope() != StoreEvent.Scope.VOTE)
                .toList();
    }

    /** Each command has keys of its own that are held, waited for or free as needed. */
    private List<Command> oneOfEachKind(String prefix) {
        String waitedFor = prefix + ":waited-for";
        LockToken waiting = alice.newToken();
        bob.hold(waitedFor, LONG_LEASE);
        alice.queue(waitedFor, waiting, new Waiting(Waiting.NEW, LONG_LEASE));
        return List.of(
                attempt(prefix + ":tried"),
                waitingAttempt(prefix + ":acquired"),
                renewals(alice.hold(prefix + ":renewed", LONG_LEASE), alice.hold(prefix + ":renewed-too", LONG_LEASE)),
                release(alice.hold(prefix + ":released", LONG_LEASE)),
                withdrawal(waitedFor, waiting),
                inspection(prefix + ":inspected"),
                revocation(alice.hold(prefix + ":revoked", LONG_LEASE)),
                state(prefix));
    }

    private Command attempt(String wanted) {
        return attempt("acquire", wanted, Optional.empty());
    }

    private Command waitingAttempt(String wanted) {
        return attempt("acquire, waiting", wanted, Optional.of(new Waiting(Waiting.NEW, LONG_LEASE)));
    }

    private Command attempt(String name, String wanted, Optional<Waiting> waiting) {
        AcquireCommand command = new AcquireCommand(wanted, alice.newToken(), LONG_LEASE, 0, 1, waiting);
        return new Command(
                name,
                wanted,
                () -> List.of(alice.backend().attemptAcquire(command)),
                AcquireResult.Unknown.class,
                AcquireResult.Rejected.class,
                AcquireResult.Unavailable.class);
    }

    private Command renewals(SpiHold... holds) {
        List<RenewCommand> commands = Stream.of(holds)
                .map(held -> new RenewCommand(held.key(), held.token(), LONG_LEASE, held.fencingToken(), 0))
                .toList();
        return new Command("renew", key, () -> alice.backend().renewLeases(commands), RenewResult.Unknown.class);
    }

    private Command release(SpiHold held) {
        ReleaseCommand command = new ReleaseCommand(held.key(), held.token(), held.fencingToken());
        return new Command(
                "release",
                held.key(),
                () -> List.of(alice.backend().releaseToken(command)),
                ReleaseResult.Unknown.class);
    }

    private Command withdrawal(String waitedFor, LockToken token) {
        ReleaseCommand command = ReleaseCommand.endOfWait(waitedFor, token);
        return new Command(
                "withdraw",
                waitedFor,
                () -> List.of(alice.backend().releaseToken(command)),
                ReleaseResult.Unknown.class);
    }

    private Command inspection(String of) {
        return new Command("inspect", of, () -> List.of(alice.backend().inspect(of, 0)), StoredLock.Unknown.class);
    }

    private Command revocation(SpiHold held) {
        return new Command(
                "revoke",
                held.key(),
                () -> List.of(alice.backend().revoke(held.key(), 0, held.fencingToken())),
                Revocation.Unknown.class);
    }

    private Command state(String prefix) {
        return new Command("state", prefix, () -> List.of(alice.backend().state()), StoreState.class);
    }

    private Sent send(Command command) {
        long start = System.nanoTime();
        List<? extends CompletionStage<?>> stages = command.call().get();
        assertThat(since(start)).as("return of '%s'", command.name()).isLessThan(commandTimeout());
        return new Sent(
                command,
                stages.stream()
                        .map(stage -> stage.thenApply(result -> new Answer(result, since(start)))
                                .toCompletableFuture())
                        .toList());
    }

    private void assertAnsweredInTime(Sent sent) {
        Duration limit = commandTimeout().plus(TOLERANCE);
        for (CompletableFuture<Answer> each : sent.answers()) {
            String description = "answer to '" + sent.command().name() + "'";
            assertThat(each).as(description).succeedsWithin(limit);
            assertThat(each.join().after()).as(description).isLessThan(limit);
            assertThat(each.join().result())
                    .as(description)
                    .isInstanceOfAny(sent.command().mayBe().toArray(Class<?>[]::new));
        }
    }

    private Duration commandTimeout() {
        return store.commandTimeout().orElseThrow();
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    private void assertLocksAgain() {
        store.resume();
        await().untilAsserted(() -> alice.hold("contract:" + UUID.randomUUID(), LEASE));
    }

    /** Their lease would outlast the test. */
    private void assertRejectedAttemptsHaveNothing(List<Sent> sent) {
        for (Sent each : sent) {
            Object result = SpiClient.answer(each.answers().get(0)).result();
            if (result instanceof AcquireResult.Rejected || result instanceof AcquireResult.Unavailable) {
                await().untilAsserted(() -> bob.hold(each.command().key(), LEASE));
            }
        }
    }
}
