package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.Slots;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Readers that share a hold, and writers that begin to read, in every order of the answers. */
class EngineReadersTests extends EngineInterleavings {

    private static final Duration LEASE = EngineSettings.DEFAULTS.lease();
    private static final int SLOT = Slots.OF_READERS.from();
    private static final LockRequest LONG = REQUEST.maxWait(Duration.ofHours(1));
    private static final LockRequest READ = LONG.mode(LockMode.READ);
    private static final int MAX = EngineSettings.DEFAULTS.handover().max();
    /** An idle hold waits as long as handovers may go on while others wait; here for more than a machine may pause. */
    private static final Duration IDLE = Duration.ofSeconds(2);

    private final AcquireResult unknown = new AcquireResult.Unknown("no answer", cause);

    EngineReadersTests() {
        super(new EngineSettings.Handover(MAX, IDLE));
    }

    private static AcquireResult grantedTo(int slot, long fencingToken, long othersWaiting) {
        return new AcquireResult.Granted(fencingToken, othersWaiting, Optional.empty(), "", slot);
    }

    private LockHandle reading(LockRequest request, int slot, long fencingToken) throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(request);
        backend.nextAcquire().answer().complete(grantedTo(slot, fencingToken, 0));
        return resultOf(acquiring);
    }

    private static <T> CompletableFuture<T> elsewhere(Supplier<T> call) {
        return CompletableFuture.supplyAsync(call, EngineInterleavings::onNewThread);
    }

    private static CompletableFuture<Void> downgrading(LockHandle writer) {
        return CompletableFuture.runAsync(writer::downgrade, EngineInterleavings::onNewThread);
    }

    /** The command of a downgrade whose caller waits for the answer. */
    private Sent<AcquireCommand, AcquireResult> nextDowngrade(LockHandle writer) {
        Sent<AcquireCommand, AcquireResult> sent = backend.nextAcquire();
        assertThat(sent.command().reads()).isTrue();
        assertThat(sent.command().token()).isEqualTo(((Handle) writer).hold.grant.token);
        return sent;
    }

    private LockHandle downgraded(long fencingToken) throws Exception {
        LockHandle writer = granted(LONG, fencingToken);
        CompletableFuture<Void> downgrading = downgrading(writer);
        nextDowngrade(writer).answer().complete(grantedTo(SLOT, fencingToken, 0));
        resultOf(downgrading);
        return writer;
    }

    // Sharing

    static Stream<Arguments> aReaderOfAnotherKindHasAGrantOfItsOwn() {
        return Stream.of(
                arguments("with another lease", READ.lease(LEASE.dividedBy(2))),
                arguments("with a maximum hold", READ.maxHold(Duration.ofHours(1))),
                arguments("of another name", READ.named("other")),
                arguments("whose release waits for no answer", READ.named(SENT_RELEASE)),
                arguments("with another behaviour at a loss", READ.onLost(OnLost.RETURN)),
                arguments("that is not renewed", READ.withoutRenewal()));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void aReaderOfAnotherKindHasAGrantOfItsOwn(String kind, LockRequest other) throws Exception {
        LockHandle first = reading(READ, SLOT, 1);

        LockHandle second = reading(other, SLOT + 1, 2);

        assertThat(first.isHeld() && second.isHeld()).isTrue();
        assertThat(second.slot()).isEqualTo(SLOT + 1);
    }

    /** As a handover, it would have only the rest of the lease. */
    @Test
    void aLockWithoutRenewalIsSharedOnlyByReadersThatWaitedTogether() throws Exception {
        CompletableFuture<LockHandle> first = engine.acquireAsync(READ.withoutRenewal());
        CompletableFuture<LockHandle> second = engine.acquireAsync(READ.withoutRenewal());
        backend.nextAcquire().answer().complete(grantedTo(SLOT, 1, 0));
        assertThat(resultOf(first).fencingToken()).isEqualTo(resultOf(second).fencingToken());
        letPass(LEASE.dividedBy(4));

        LockHandle late = reading(READ.withoutRenewal(), SLOT + 1, 2);

        assertThat(late.remainingLease()).isGreaterThan(resultOf(first).remainingLease());
    }

    @Test
    void noReaderJoinsAfterAThirdOfTheLease() throws Exception {
        reading(READ, SLOT, 1);
        letPass(LEASE.dividedBy(3));
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());

        assertThat(reading(READ, SLOT + 1, 2).fencingToken()).isEqualTo(2);
    }

    static Stream<Arguments> readersJoinForTheTimeOfHandoversOnceOthersWait() {
        return Stream.of(
                wantedBy("another instance", test -> test.backend.wanted(KEY)),
                wantedBy("a writer of this one", test -> test.engine.acquireAsync(LONG)));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void readersJoinForTheTimeOfHandoversOnceOthersWait(String who, Consumer<EngineReadersTests> comes)
            throws Exception {
        reading(READ, SLOT, 1);
        comes.accept(this);
        letPass(IDLE.dividedBy(2));
        for (int joined = 0; joined < 2 * MAX; joined++) {
            assertThat(resultOf(engine.acquireAsync(READ)).fencingToken()).isEqualTo(1);
        }
        letPass(IDLE.dividedBy(2));

        CompletableFuture<LockHandle> late = engine.acquireAsync(READ);

        backend.nextAcquire().answer().complete(contended());
        assertThat(late).isNotDone();
    }

    /** Otherwise each wait of a writer leaves one more hold that takes no readers. */
    @Test
    void readersJoinAgainOnceTheWriterHasGivenUp() throws Exception {
        reading(READ, SLOT, 1);
        CompletableFuture<LockHandle> writer = engine.acquireAsync(LONG);
        letPass(IDLE.multipliedBy(2));
        writer.cancel(false);

        assertThat(resultOf(engine.acquireAsync(READ)).fencingToken()).isEqualTo(1);
    }

    @Test
    void aReaderWaitsBehindAWriterButNotForAnAttemptOfOne() throws Exception {
        LockHandle first = reading(READ, SLOT, 1);
        CompletableFuture<LockHandle> trying = engine.acquireAsync(REQUEST.withoutWaiting());
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        assertThat(resultOf(engine.acquireAsync(READ)).fencingToken()).isEqualTo(first.fencingToken());
        attempt.answer().complete(contended());
        assertFails(trying, LockNotAcquiredException.class);

        CompletableFuture<LockHandle> writer = engine.acquireAsync(LONG);
        backend.nextAcquire().answer().complete(contended());
        letPass(IDLE);
        backend.nextAcquire().answer().complete(contended()); // it looks again
        CompletableFuture<LockHandle> second = engine.acquireAsync(READ);
        assertThat(backend.pollAcquire()).isEmpty();
        writer.cancel(false);

        backend.nextAcquire().answer().complete(grantedTo(SLOT + 1, 2, 0));
        assertThat(resultOf(second).fencingToken()).isEqualTo(2);
    }

    // Phases

    /** Also if the reader that asked for it has left. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aGrantServesAllReadersOfTheLineAndTheWriterIsNext(boolean left) throws Exception {
        CompletableFuture<LockHandle> first = engine.acquireAsync(READ);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        CompletableFuture<LockHandle> writer = engine.acquireAsync(LONG);
        CompletableFuture<LockHandle> behind = engine.acquireAsync(READ);
        if (left) {
            first.cancel(false);
        }

        attempt.answer().complete(grantedTo(SLOT, 1, 0));

        assertThat(resultOf(behind).fencingToken()).isEqualTo(1);
        letPass(IDLE);
        CompletableFuture<LockHandle> late = engine.acquireAsync(READ);
        Sent<AcquireCommand, AcquireResult> next = backend.nextAcquire();
        assertThat(next.command().reads()).isFalse();
        assertThat(late).as("a reader that comes after the grant").isNotDone();
        next.answer().complete(grant(2, 0));
        assertThat(resultOf(writer).isHeld()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLeftLockPassesToAsManyWritersInFrontOfAReaderAsToOtherInstances(boolean othersWaitLater) throws Exception {
        LockHandle held = waitedFor(LONG, 1, 0);
        CompletableFuture<LockHandle> reader = engine.acquireAsync(READ);
        List<CompletableFuture<LockHandle>> writers =
                Stream.generate(() -> engine.acquireAsync(LONG)).limit(MAX + 1L).toList();

        for (CompletableFuture<LockHandle> writer : writers.subList(0, MAX)) {
            held.closeAsync();
            held = resultOf(writer);
        }
        if (othersWaitLater) {
            backend.wanted(KEY);
        }
        held.closeAsync();

        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        Sent<AcquireCommand, AcquireResult> next = backend.nextAcquire();
        assertThat(next.command().reads()).isTrue();
        assertThat(writers.get(MAX)).isNotDone();
        next.answer().complete(grantedTo(SLOT, 100, 0));
        assertThat(resultOf(reader).isHeld()).isTrue();
    }

    // Idle holds

    @Test
    void aReaderFollowsAnotherWithoutACommand() throws Exception {
        LockHandle first = reading(READ, SLOT, 1);
        assertThat(resultOf(releasing(first))).isEqualTo(ReleaseOutcome.RELEASED);
        assertThat(engine.heldLocks().snapshot()).isEmpty();
        letPass(IDLE.dividedBy(2));

        LockHandle second = resultOf(engine.acquireAsync(READ));

        assertThat(second.fencingToken()).isEqualTo(1);
        letPass(IDLE.multipliedBy(2));
        assertThat(resultOf(engine.acquireAsync(READ)).release()).isEqualTo(ReleaseOutcome.STILL_HELD);
        assertThat(backend.log).noneMatch(ReleaseCommand.class::isInstance);
        assertThat(resultOf(releasing(second))).isEqualTo(ReleaseOutcome.RELEASED);
        letPass(IDLE);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(reading(READ, SLOT, 2).fencingToken()).isEqualTo(2);
        assertThat(losses).isEmpty();
        assertThat(events.stream().filter(LockEvent.Acquired.class::isInstance).map(LockEvent.Acquired.class::cast))
                .extracting(LockEvent.Acquired::path, LockEvent.Acquired::attempts)
                .as("no wait")
                .containsExactly(
                        tuple(LockEvent.Path.UNCONTENDED, 1),
                        tuple(LockEvent.Path.UNCONTENDED, 0),
                        tuple(LockEvent.Path.UNCONTENDED, 1));
    }

    @Test
    void aHoldThatIsWantedIsReleasedWithItsLastReader() throws Exception {
        LockHandle reader = reading(READ, SLOT, 1);
        backend.wanted(KEY);

        CompletableFuture<ReleaseOutcome> releasing = releasing(reader);

        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(releasing).as("before its answer").isNotDone();
        release.answer().complete(new ReleaseResult.Released(1));
        assertThat(resultOf(releasing)).isEqualTo(ReleaseOutcome.RELEASED);
    }

    static Stream<Arguments> anIdleHoldEndsAtOnceIfTheLockIsWanted() {
        return Stream.of(
                wantedBy("another instance", test -> test.backend.wanted(KEY)),
                wantedBy(
                        "perhaps another instance, whose message was lost",
                        test -> Objects.requireNonNull(test.backend.listener).onMailboxRestored()),
                wantedBy("a writer that waits", test -> test.engine.acquireAsync(LONG)),
                wantedBy("a writer that does not wait", test -> test.engine.acquireAsync(REQUEST.withoutWaiting())),
                wantedBy("a reader of another kind", test -> test.engine.acquireAsync(READ.named("other"))),
                wantedBy("an operator", test -> test.backend.revoked(KEY, test.fingerprint())),
                wantedBy(
                        "a stop",
                        test -> CompletableFuture.runAsync(test.engine::stop, EngineInterleavings::onNewThread)));
    }

    private static Arguments wantedBy(String who, Consumer<EngineReadersTests> comes) {
        return arguments(who, comes);
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void anIdleHoldEndsAtOnceIfTheLockIsWanted(String who, Consumer<EngineReadersTests> comes) throws Exception {
        resultOf(releasing(reading(READ, SLOT, 1)));

        comes.accept(this);

        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().slots()).isEqualTo(Slots.one(SLOT));
        assertThat(backend.log.get(1)).as("before any attempt").isSameAs(release.command());
        release.answer().complete(new ReleaseResult.NotHeld());
        assertThat(losses).as("its readers had left").isEmpty();
    }

    /** Otherwise readers of one instance pass the writer of another for as long as one of them waits. */
    @Test
    void waitingReadersLetTheOtherInstanceGoFirst() throws Exception {
        LockHandle reader = reading(READ, SLOT, 1);
        backend.wanted(KEY);
        letPass(IDLE);
        CompletableFuture<LockHandle> late = engine.acquireAsync(READ);
        backend.nextAcquire().answer().complete(contended());

        releasing(reader);

        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().requeue()).isPresent();
        assertThat(backend.pollAcquire()).isEmpty();
        release.answer().complete(new ReleaseResult.Released(1));
        assertThat(backend.isQuiet()).isTrue();
        assertThat(late).isNotDone();
    }

    @Test
    void anOperatorOfThisInstanceEndsAnIdleHold() throws Exception {
        resultOf(releasing(reading(READ, SLOT, 1)));

        CompletableFuture<LockAdmin.Revocation> revoking = engine.admin().revoke(KEY, SLOT, 1);

        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        assertThat(resultOf(revoking)).isInstanceOf(LockAdmin.Revocation.Revoked.class);
        assertThat(reading(READ, SLOT, 2).fencingToken()).isEqualTo(2);
    }

    /** Of a slot for permits, on a key that is used in both ways. */
    @Test
    void aReaderPassesASignalOnThatItCannotUse() throws Exception {
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(READ);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        Objects.requireNonNull(backend.listener).onSignal(KEY, 5);

        attempt.answer().complete(contended());

        assertThat(backend.nextWithdrawal().command().slots()).isEqualTo(Slots.one(5));
        assertThat(backend.pollAcquire()).isEmpty();
        assertThat(waiting).isNotDone();
    }

    @Test
    void theReleaseOfAnIdleHoldIsSentByTheThreadThatRevokesIt() throws Exception {
        resultOf(releasing(reading(READ, SLOT, 1)));

        backend.revoked(KEY, fingerprint());

        assertThat(backend.log).last().isInstanceOf(ReleaseCommand.class);
    }

    static Stream<Arguments> aHoldThatNoReaderMayFollowIsReleasedWithTheLastReader() {
        return Stream.of(
                arguments("after a third of its lease", READ, LEASE.dividedBy(3)),
                arguments("without renewal", READ.withoutRenewal(), Duration.ZERO));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource
    void aHoldThatNoReaderMayFollowIsReleasedWithTheLastReader(String which, LockRequest request, Duration held)
            throws Exception {
        LockHandle reader = reading(request, SLOT, 1);
        letPass(held);
        if (!held.isZero()) {
            backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        }

        releasing(reader);

        assertThat(backend.nextRelease().command().slots()).isEqualTo(Slots.one(SLOT));
    }

    @Test
    void aFollowingReaderHasAMaximumHoldOfItsOwn() throws Exception {
        LockRequest limited = READ.maxHold(LEASE);
        LockHandle first = reading(limited, SLOT, 1);
        letPass(LEASE.dividedBy(4));
        resultOf(releasing(first));
        resultOf(engine.acquireAsync(limited));

        assertThat(engine.heldLocks().snapshot())
                .singleElement()
                .extracting(HeldLock::heldFor, InstanceOfAssertFactories.DURATION)
                .isLessThan(LEASE.dividedBy(4));
    }

    /** The instance paused: the store may have given the lock away. */
    @Test
    void noReaderFollowsAfterTheLease() throws Exception {
        resultOf(releasing(reading(READ, SLOT, 1)));
        suspend(LEASE.plusSeconds(1));

        assertThat(reading(READ, SLOT, 2).fencingToken()).isEqualTo(2);
    }

    // Sharing with writers of this instance

    @Test
    void readersSendNothingWhileAWriterOfTheirInstanceHasTheLock() throws Exception {
        LockHandle writer = granted(LONG, 1);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(READ);
        assertFails(engine.acquireAsync(READ.withoutWaiting()), LockNotAcquiredException.class)
                .cause()
                .hasMessageContaining("of this instance, which has held it for");
        assertThat(backend.pollAcquire()).isEmpty();

        writer.closeAsync();

        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        backend.nextAcquire().answer().complete(grantedTo(SLOT, 2, 0));
        assertThat(resultOf(waiting).isHeld()).isTrue();
    }

    /** A reader could be granted the lock. */
    @Test
    void theRefusalOfAWriterIsNoneOfAReader() throws Exception {
        CompletableFuture<LockHandle> writing = engine.acquireAsync(REQUEST.withoutWaiting());
        CompletableFuture<LockHandle> reading = engine.acquireAsync(READ.withoutWaiting());
        backend.nextAcquire().answer().complete(contended());
        assertFails(writing, LockNotAcquiredException.class);

        backend.nextAcquire().answer().complete(grantedTo(SLOT, 1, 0));

        assertThat(resultOf(reading).isHeld()).isTrue();
    }

    /** Beats watch no owner of a reader's slot. */
    @Test
    void aWaitingReaderLooksOften() throws Exception {
        engine.acquireAsync(READ);
        for (int i = 0; i < 8; i++) {
            backend.nextAcquire().answer().complete(contended());
            letPass(Duration.ofMillis(340));
        }
        assertThat(backend.nextAcquire().command().reads()).isTrue();
    }

    /** Otherwise the hold seems abandoned once the first handle is collected. */
    @Test
    void eachHandleKeepsTheWatchedOneReachable() throws Exception {
        CompletableFuture<LockHandle> first = engine.acquireAsync(READ);
        CompletableFuture<LockHandle> second = engine.acquireAsync(READ);
        backend.nextAcquire().answer().complete(grantedTo(SLOT, 1, 0));
        Handle third = (Handle) resultOf(engine.acquireAsync(READ));

        assertThat(third.first).isNotNull();
        assertThat(List.of(((Handle) resultOf(first)).first, ((Handle) resultOf(second)).first))
                .containsOnly(third.first);
    }

    // Losses

    @Test
    void aLossReachesEachReaderOnceAndEachThreadAtItsNextCall() throws Exception {
        CompletableFuture<Void> lost = new CompletableFuture<>();
        AtomicInteger callbacks = new AtomicInteger();
        CountDownLatch reading = new CountDownLatch(2);
        List<CompletableFuture<ReleaseOutcome>> readers = Stream.generate(() -> elsewhere(() -> {
                    LockHandle held = engine.acquire(READ);
                    held.onLost(callbacks::incrementAndGet);
                    reading.countDown();
                    lost.join();
                    assertThatThrownBy(() -> engine.acquire(READ)).isInstanceOf(LockLostException.class);
                    assertThat(engine.heldLocks().isOwnedByThisThread(KEY)).isFalse();
                    return held.release();
                }))
                .limit(2)
                .toList();
        backend.nextAcquire().answer().complete(grantedTo(SLOT, 1, 0));
        await().untilAsserted(() -> assertThat(engine.heldLocks().snapshot())
                .extracting(HeldLock::holdCount)
                .containsExactly(2));
        assertThat(reading.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();

        backend.revoked(KEY, fingerprint());
        await().untilAsserted(() -> assertThat(callbacks).hasValue(2));
        lost.complete(null);

        for (CompletableFuture<ReleaseOutcome> each : readers) {
            assertThat(resultOf(each)).isEqualTo(ReleaseOutcome.LOST);
        }
        awaitLoss(LossCause.REVOKED);
    }

    /** Such as one whose thread is to be interrupted. */
    @Test
    void aReaderIsToldOfTheLossWhileTheCallbackOfAnotherBlocks() throws Exception {
        LockHandle first = reading(READ, SLOT, 1);
        LockHandle second = resultOf(engine.acquireAsync(READ));
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Void> ofFirst = new CompletableFuture<>();
        CompletableFuture<Void> ofSecond = new CompletableFuture<>();
        first.onLost(() -> awaitQuietly(end));
        first.afterLost(() -> ofFirst.complete(null));
        second.afterLost(() -> ofSecond.complete(null));

        backend.revoked(KEY, fingerprint());

        resultOf(ofSecond);
        assertThat(ofFirst).as("its own callback has not returned").isNotDone();
        end.countDown();
        resultOf(ofFirst);
    }

    /** A handle that was collected cannot tell that it was released before. */
    @Test
    void aReleaseTakesTheCallbacksOfItsHandleAway() throws Exception {
        LockHandle first = reading(READ, SLOT, 1);
        AtomicInteger calls = new AtomicInteger();
        WeakReference<LockHandle> second = joinedAndReleased(calls::incrementAndGet);
        await().until(() -> {
            System.gc();
            return second.refersTo(null);
        });
        CompletableFuture<Void> last = new CompletableFuture<>();
        first.afterLost(() -> last.complete(null));

        backend.revoked(KEY, fingerprint());

        resultOf(last);
        assertThat(calls).hasValue(0);
    }

    private WeakReference<LockHandle> joinedAndReleased(Runnable onLost) throws Exception {
        LockHandle reader = resultOf(engine.acquireAsync(READ));
        reader.onLost(onLost);
        assertThat(reader.release()).isEqualTo(ReleaseOutcome.STILL_HELD);
        return new WeakReference<>(reader);
    }

    private String fingerprint() {
        return backend.log.stream()
                .filter(AcquireCommand.class::isInstance)
                .map(command -> ((AcquireCommand) command).token().fingerprint())
                .findFirst()
                .orElseThrow();
    }

    static Stream<Arguments> aGrantEndsWhatItExcludes() {
        return Stream.of(arguments(READ, SLOT, LONG, 0), arguments(LONG, 0, READ, SLOT));
    }

    @ParameterizedTest
    @MethodSource
    void aGrantEndsWhatItExcludes(LockRequest former, int formerSlot, LockRequest later, int slot) throws Exception {
        LockHandle held = reading(former, formerSlot, 1);
        CompletableFuture<LockHandle> next = engine.acquireAsync(later);
        backend.signal(KEY); // the lock was deleted
        backend.nextAcquire().answer().complete(grantedTo(slot, 2, 0));

        assertThat(resultOf(next).isHeld()).isTrue();
        assertThat(held.state()).isEqualTo(HoldState.LOST);
        awaitLoss(LossCause.OWNER_CHANGED);
    }

    @Test
    void anExtensionByOneReaderLeavesRenewalAndMaximumHoldToTheOthers() throws Exception {
        LockHandle one = reading(READ, SLOT, 1);
        LockHandle other = resultOf(engine.acquireAsync(READ));
        CompletableFuture<Void> extending = CompletableFuture.runAsync(
                () -> one.extend(REQUEST.withoutRenewal()), EngineInterleavings::onNewThread);
        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        resultOf(extending);
        letPass(LEASE.dividedBy(3));

        backend.nextRenewal().answer().complete(new RenewResult.Renewed());
        assertThat(other.isHeld()).isTrue();
        assertThat(engine.heldLocks().snapshot()).extracting(HeldLock::maxHold).containsExactly(Optional.empty());
    }

    // Downgrades

    @Test
    void aDowngradeFollowsTheAnswerToARenewal() throws Exception {
        LockHandle writer = granted(LONG, 1);
        letPass(LEASE.dividedBy(3));
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();
        CompletableFuture<Void> downgrading = downgrading(writer);
        await().until(() -> ((Handle) writer).hold.downgrade != null);
        assertThat(backend.pollAcquire()).isEmpty();
        renewal.answer().complete(new RenewResult.Renewed());

        Sent<AcquireCommand, AcquireResult> downgrade = nextDowngrade(writer);

        letPass(LEASE.dividedBy(2));
        settle();
        assertThat(backend.pollRenewal()).isEmpty();
        assertThatThrownBy(() -> writer.extend(REQUEST)).isInstanceOf(LockBackendException.class);
        downgrade.answer().complete(grantedTo(SLOT, 1, 0));
        resultOf(downgrading);
        settle();
        assertThat(backend.nextRenewal().command().slot()).isEqualTo(SLOT);
        assertThat(writer.isHeld()).isTrue();
    }

    /** Even if its own thread is not told of the answer. */
    @Test
    void nobodyWritesUnderALockThatIsBeingDowngraded() throws Exception {
        CompletableFuture<Throwable> refused = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            LockHandle writer = engine.acquire(LONG);
            Throwable interrupted = catchThrowable(writer::downgrade);
            assertThat(interrupted).isInstanceOf(LockInterruptedException.class);
            assertThat(Thread.interrupted()).isTrue();
            refused.complete(catchThrowable(() -> engine.acquire(REQUEST)));
            engine.acquire(READ).release();
            writer.release();
        });
        thread.start();
        backend.nextAcquire().answer().complete(grant(1, 0));
        CompletableFuture<LockHandle> next = engine.acquireAsync(LONG);
        Sent<AcquireCommand, AcquireResult> downgrade = backend.nextAcquire();
        thread.interrupt();
        assertThat(resultOf(refused)).isInstanceOf(IllegalStateException.class);
        await().until(() ->
                engine.heldLocks().snapshot().get(0).remainingLease().isZero()); // left
        assertThat(next).as("no handover").isNotDone();
        assertThat(backend.log).noneMatch(ReleaseCommand.class::isInstance);

        downgrade.answer().complete(grantedTo(SLOT, 1, 0));

        assertThat(backend.nextRelease().command().slots()).isEqualTo(Slots.one(SLOT));
    }

    /** A late one would read for a lease. */
    @Test
    void releasesBothSlotsAfterADowngradeOfUnknownOutcome() throws Exception {
        LockHandle writer = granted(LONG, 1);
        CompletableFuture<Void> downgrading = downgrading(writer);
        nextDowngrade(writer).answer().complete(unknown);
        assertFails(downgrading, LockBackendException.class);
        CompletableFuture<ReleaseOutcome> releasing = releasing(writer);

        List<Sent<ReleaseCommand, ReleaseResult>> releases = List.of(backend.nextRelease(), backend.nextRelease());

        assertThat(releases)
                .extracting(sent -> sent.command().slots())
                .containsExactlyInAnyOrder(Slots.ONLY, Slots.OF_READERS);
        releases.forEach(sent -> sent.answer().complete(new ReleaseResult.NotHeld()));
        assertThat(resultOf(releasing)).as("it may have been read").isEqualTo(ReleaseOutcome.UNKNOWN);
        letPass(Duration.ofMillis(50));
        assertThat(backend.nextRelease().command().slots()).isEqualTo(Slots.OF_READERS);
        assertThat(losses).isEmpty();
    }

    /** The first one may have been executed, or may still be. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatARepeatedDowngradeIsAnsweredDoesNotTellOfTheFirst(boolean granted) throws Exception {
        LockHandle writer = waitedFor(LONG, 1, 0);
        CompletableFuture<Void> first = downgrading(writer);
        nextDowngrade(writer).answer().complete(unknown);
        assertFails(first, LockBackendException.class);
        CompletableFuture<Void> second = downgrading(writer);
        nextDowngrade(writer)
                .answer()
                .complete(granted ? grantedTo(SLOT, 1, 0) : new AcquireResult.Rejected("not sent", cause));
        await().until(second::isDone);
        CompletableFuture<LockHandle> next = engine.acquireAsync(LONG);

        releasing(writer);

        assertThat(List.of(backend.nextRelease(), backend.nextRelease()))
                .extracting(sent -> sent.command().slots())
                .containsExactlyInAnyOrder(granted ? Slots.one(SLOT) : Slots.ONLY, Slots.OF_READERS);
        assertThat(next).isNotDone();
    }

    @Test
    void aDowngradeOfUnknownOutcomeIsRepeatedByItsCaller() throws Exception {
        LockHandle writer = granted(LONG, 1);
        CompletableFuture<Void> first = downgrading(writer);
        nextDowngrade(writer).answer().complete(unknown);
        assertFails(first, LockBackendException.class);
        CompletableFuture<Void> second = downgrading(writer);
        nextDowngrade(writer).answer().complete(grantedTo(SLOT, 1, 0));
        resultOf(second);

        resultOf(releasing(writer));

        letPass(IDLE);
        assertThat(backend.nextRelease().command().slots()).isEqualTo(Slots.one(SLOT));
    }

    /** Such as if all slots are taken. */
    @Test
    void aRefusedDowngradeLeavesTheLockWritten() throws Exception {
        LockHandle writer = granted(LONG, 1);
        CompletableFuture<Void> downgrading = downgrading(writer);
        nextDowngrade(writer).answer().complete(contended());
        assertFails(downgrading, LockBackendException.class);
        letPass(LEASE.dividedBy(3));

        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();

        assertThat(renewal.command().slot()).isZero();
        renewal.answer().complete(new RenewResult.Renewed());
        releasing(writer);
        assertThat(backend.nextRelease().command().slots()).isEqualTo(Slots.ONLY);
    }

    /** Another owner may have written meanwhile. */
    @Test
    void aDowngradeThatGetsAnotherGrantHasLostTheLock() throws Exception {
        LockHandle writer = granted(LONG, 1);
        CompletableFuture<Void> downgrading = downgrading(writer);
        nextDowngrade(writer).answer().complete(grantedTo(SLOT, 5, 0));

        assertFails(downgrading, LockLostException.class);

        awaitLoss(LossCause.OWNER_CHANGED);
        assertThat(writer.release()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(backend.nextRelease().command().slots()).isEqualTo(Slots.one(SLOT));
    }

    @Test
    void twoThreadsDowngradeAHandleByOneCommand() throws Exception {
        LockHandle writer = granted(LONG, 1);
        CompletableFuture<Void> one = downgrading(writer);
        Sent<AcquireCommand, AcquireResult> downgrade = nextDowngrade(writer);
        CompletableFuture<Void> other = downgrading(writer);
        await().until(() -> ((Handle) writer).hold.downgrade.answer.getNumberOfDependents() == 2);

        downgrade.answer().complete(grantedTo(SLOT, 1, 0));

        resultOf(one);
        resultOf(other);
        assertThat(backend.pollAcquire()).isEmpty();
    }

    /** As at a grant, even if another instance waits; later ones join within the limit. */
    @Test
    void waitingReadersJoinAWriterThatDowngrades() throws Exception {
        LockHandle writer = granted(LONG, 1);
        CompletableFuture<LockHandle> reader = engine.acquireAsync(READ);
        CompletableFuture<Void> downgrading = downgrading(writer);
        nextDowngrade(writer).answer().complete(grantedTo(SLOT, 1, 1));
        resultOf(downgrading);
        assertThat(resultOf(reader).fencingToken()).isEqualTo(1);
        letPass(IDLE);

        assertThat(reading(READ, SLOT + 1, 2).fencingToken()).isEqualTo(2);
    }

    /** The reader gets a grant of its own, instead of a lost hold. */
    @Test
    void noReaderJoinsALockWhoseLeaseEndsDuringTheDowngrade() throws Exception {
        LockHandle writer = granted(LONG, 1);
        CompletableFuture<LockHandle> reader = engine.acquireAsync(READ);
        CompletableFuture<Void> downgrading = downgrading(writer);
        Sent<AcquireCommand, AcquireResult> downgrade = nextDowngrade(writer);
        suspend(LEASE.plusSeconds(1));
        downgrade.answer().complete(grantedTo(SLOT, 1, 0));

        assertFails(downgrading, LockLostException.class);
        backend.nextAcquire().answer().complete(grantedTo(SLOT + 1, 2, 0));
        assertThat(resultOf(reader).isHeld()).isTrue();
        assertThat(writer.release()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(backend.nextRelease().command().slots()).isEqualTo(Slots.one(SLOT));
    }

    @ParameterizedTest
    @ValueSource(classes = {LockLostException.class, IllegalStateException.class})
    void aDowngradeIsNotSentIfTheHoldHasEndedBefore(Class<? extends RuntimeException> told) throws Exception {
        LockHandle writer = granted(LONG, 1);
        letPass(LEASE.dividedBy(3));
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();
        CompletableFuture<Void> downgrading = downgrading(writer);
        await().until(() -> ((Handle) writer).hold.downgrade != null);

        if (told == LockLostException.class) {
            backend.revoked(KEY, fingerprint());
        } else {
            releasing(writer);
        }

        assertFails(downgrading, told);
        renewal.answer().complete(new RenewResult.Renewed());
        assertThat(backend.nextRelease().command().slots()).isEqualTo(Slots.ONLY);
        assertThat(backend.pollAcquire()).isEmpty();
    }

    /** Its attempt came after the downgrade. */
    @Test
    void aReaderThatIsGrantedBeforeTheAnswerToADowngradeEndsNothing() throws Exception {
        LockHandle writer = granted(LONG, 1);
        CompletableFuture<LockHandle> reader = engine.acquireAsync(READ);
        backend.signal(KEY);
        Sent<AcquireCommand, AcquireResult> attempt = backend.nextAcquire();
        CompletableFuture<Void> downgrading = downgrading(writer);
        Sent<AcquireCommand, AcquireResult> downgrade = nextDowngrade(writer);

        attempt.answer().complete(grantedTo(SLOT + 1, 2, 0));
        downgrade.answer().complete(grantedTo(SLOT, 1, 0));

        resultOf(downgrading);
        assertThat(writer.isHeld() && resultOf(reader).isHeld()).isTrue();
        assertThat(engine.heldLocks().snapshot()).extracting(HeldLock::slot).containsExactly(SLOT, SLOT + 1);
    }

    @Test
    void refusesToDowngradeALockThatMayBeKeptOrHasPermits() throws Exception {
        for (LockRequest request : List.of(REQUEST.minHold(Duration.ofSeconds(1)), REQUEST.permits(2))) {
            LockHandle writer = granted(request, 1);
            assertThatThrownBy(writer::downgrade).isInstanceOf(IllegalStateException.class);
            releasing(writer);
            backend.nextRelease().answer().complete(new ReleaseResult.Released(0));
        }
        assertThat(backend.pollAcquire()).isEmpty();
    }

    @Test
    void aThreadThatHasDowngradedReadsAgainButDoesNotWrite() throws Exception {
        CompletableFuture<Boolean> reads = elsewhere(() -> {
            LockHandle writer = engine.acquire(LONG);
            writer.downgrade();
            assertThatThrownBy(() -> engine.acquire(REQUEST)).isInstanceOf(IllegalStateException.class);
            engine.acquire(READ).release();
            return writer.isHeld();
        });
        backend.nextAcquire().answer().complete(grant(1, 0));
        backend.nextAcquire().answer().complete(grantedTo(SLOT, 1, 0));

        assertThat(resultOf(reads)).isTrue();
    }

    /** As for a writer. */
    @Test
    void aDowngradedLockIsReleasedAtAStop() throws Exception {
        LockHandle reader = downgraded(1);
        CompletableFuture<Void> stopping = CompletableFuture.runAsync(engine::stop, EngineInterleavings::onNewThread);

        assertThat(backend.nextRelease().command().slots()).isEqualTo(Slots.one(SLOT));
        awaitStop(stopping);
        assertThat(reader.release()).isEqualTo(ReleaseOutcome.LOST);
    }
}
