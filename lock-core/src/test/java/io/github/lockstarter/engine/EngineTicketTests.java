package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.LockTicket;
import io.github.lockstarter.MinHoldIf;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Detaching and attaching, in every order of the answers. */
class EngineTicketTests extends EngineInterleavings {

    private static final LockTicket TICKET =
            new LockTicket("unnamed", KEY, "0123456789abcdef0123456789abcdef:7|1 main (detached)", 90);

    private final AcquireResult unknown = new AcquireResult.Unknown("no answer", cause);

    private CompletableFuture<LockTicket> detaching(LockHandle held) {
        return CompletableFuture.supplyAsync(held::detach, EngineInterleavings::onNewThread);
    }

    private CompletableFuture<LockHandle> attaching() {
        return engine.acquireAsync(LockRequest.ofTicket(TICKET));
    }

    @Test
    void replacesTheTokenOfTheHoldByOneThatAllowsNoTakeover() throws Exception {
        CompletableFuture<LockHandle> acquiring = engine.acquireAsync(REQUEST);
        Sent<AcquireCommand, AcquireResult> acquire = backend.nextAcquire();
        acquire.answer().complete(grant(100, 0));
        CompletableFuture<LockTicket> detaching = detaching(resultOf(acquiring));

        Sent<AcquireCommand, AcquireResult> detach = backend.nextAcquire();
        detach.answer().complete(grant(200, 0));

        LockTicket ticket = resultOf(detaching);
        assertThat(detach.command().replaced())
                .contains(acquire.command().token().value());
        assertThat(detach.command().token().takeoverMillis()).isZero();
        assertThat(detach.command().fencingFloor()).isGreaterThanOrEqualTo(100);
        assertThat(ticket.token()).isEqualTo(detach.command().token().value());
        assertThat(ticket.fencingToken()).isEqualTo(200);
        assertThat(losses).isEmpty();
        assertThat(backend.log).noneMatch(ReleaseCommand.class::isInstance);
    }

    @Test
    void theHoldHasEndedBeforeTheCommandIsSent() throws Exception {
        LockHandle held = granted(REQUEST, 100);
        CompletableFuture<LockTicket> detaching = detaching(held);

        Sent<AcquireCommand, AcquireResult> detach = backend.nextAcquire();

        assertThat(held.isHeld()).isFalse();
        letPass(EngineSettings.DEFAULTS.lease().dividedBy(2));
        settle();
        assertThat(backend.pollRenewal()).isEmpty();
        detach.answer().complete(grant(200, 0));
        resultOf(detaching);
    }

    @Test
    void waitsForTheAnswerToARenewal() throws Exception {
        LockHandle held = granted(REQUEST, 100);
        letPass(EngineSettings.DEFAULTS.lease().dividedBy(2));
        Sent<RenewCommand, RenewResult> renewal = backend.nextRenewal();
        CompletableFuture<LockTicket> detaching = detaching(held);
        assertThat(backend.pollAcquire()).isEmpty();

        renewal.answer().complete(new RenewResult.Renewed());

        backend.nextAcquire().answer().complete(grant(200, 0));
        assertThat(resultOf(detaching).fencingToken()).isEqualTo(200);
    }

    @Test
    void isNotHandedOverToACallerOfThisInstance() throws Exception {
        LockHandle held = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST);
        CompletableFuture<LockTicket> detaching = detaching(held);

        AcquireCommand command = backend.nextAcquire().command();

        assertThat(command.replaced()).isPresent();
        assertThat(waiting).isNotDone();
        detaching.cancel(false);
    }

    @Test
    void releasesBothTokensAfterADetachOfUnknownOutcome() throws Exception {
        LockHandle held = granted(REQUEST, 100);
        CompletableFuture<LockTicket> detaching = detaching(held);
        Sent<AcquireCommand, AcquireResult> detach = backend.nextAcquire();

        detach.answer().complete(unknown);

        Sent<ReleaseCommand, ReleaseResult> one = backend.nextRelease();
        Sent<ReleaseCommand, ReleaseResult> other = backend.nextRelease();
        assertThat(Stream.of(one, other).map(each -> each.command().token().value()))
                .containsExactlyInAnyOrder(
                        detach.command().token().value(),
                        detach.command().replaced().orElseThrow());
        assertThatThrownBy(() -> resultOf(detaching))
                .cause()
                .isInstanceOf(LockBackendException.class)
                .hasMessage("Could not detach lock 'order:42' (fencing token 100), which is being released, and ends"
                        + " with its lease at the latest; there is no ticket: no answer");
        one.answer().complete(new ReleaseResult.NotHeld());
        other.answer().complete(new ReleaseResult.Released(0));
        assertThat(losses).isEmpty();
    }

    @Test
    void releasesTheLockIfTheStoreIsRecovering() throws Exception {
        CompletableFuture<LockTicket> detaching = detaching(granted(REQUEST, 100));

        backend.nextAcquire().answer().complete(new AcquireResult.Recovering(Duration.ofSeconds(9), "Redis restarted"));

        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().fencingToken()).isEqualTo(100);
        release.answer().complete(new ReleaseResult.Released(0));
        assertThatThrownBy(() -> resultOf(detaching))
                .cause()
                .isInstanceOfSatisfying(
                        LockStoreRecoveringException.class,
                        recovering -> assertThat(recovering.retryAfter()).hasSeconds(9))
                .hasMessage("Could not detach lock 'order:42' (fencing token 100), which is released; there is no"
                        + " ticket: Redis restarted, so it passes no lock on for another 9s");
    }

    @Test
    void reportsALossThatTheAnswerToADetachShows() throws Exception {
        CompletableFuture<LockTicket> detaching = detaching(granted(REQUEST, 100));

        backend.nextAcquire().answer().complete(contended());

        assertFails(detaching, LockLostException.class);
        awaitLoss(LossCause.OWNER_CHANGED);
    }

    /** Before the success is recorded, too. */
    @Test
    void refusesToDetachALockThatASuccessWouldKeep() throws Exception {
        LockHandle held = granted(REQUEST.minHold(Duration.ofSeconds(10)).minHoldIf(MinHoldIf.SUCCESS), 100);

        assertThatThrownBy(held::detach)
                .isInstanceOf(IllegalStateException.class)
                .hasMessageEndingWith("it has several permits or a minimum hold. Leave them out");

        assertThat(held.isHeld()).isTrue();
        assertThat(backend.pollAcquire()).isEmpty();
    }

    @Test
    void theCommandHidesTheTokenOfTheTicket() throws Exception {
        attaching();

        AcquireCommand command = backend.nextAcquire().command();

        assertThat(command.toString()).contains("order:42").doesNotContain(TICKET.token());
    }

    @Test
    void attachesByReplacingTheTokenOfTheTicket() throws Exception {
        CompletableFuture<LockHandle> attaching = attaching();

        Sent<AcquireCommand, AcquireResult> attach = backend.nextAcquire();
        attach.answer().complete(grant(100, 0));

        assertThat(attach.command().replaced()).contains(TICKET.token());
        assertThat(attach.command().waiting()).isEmpty();
        assertThat(attach.command().fencingFloor()).isEqualTo(90);
        assertThat(resultOf(attaching).isHeld()).isTrue();
    }

    @Test
    void releasesItsTokenAfterAnAttachOfUnknownOutcome() throws Exception {
        CompletableFuture<LockHandle> attaching = attaching();
        Sent<AcquireCommand, AcquireResult> attach = backend.nextAcquire();

        attach.answer().complete(unknown);

        assertFails(attaching, LockBackendException.class);
        assertThat(backend.nextRelease().command().token())
                .isEqualTo(attach.command().token());
    }

    @Test
    void asksTheStoreAlthoughThisInstanceSeemsToHaveTheLock() throws Exception {
        LockHandle former = granted(REQUEST, 80);
        CompletableFuture<LockHandle> attaching = attaching();

        backend.nextAcquire().answer().complete(grant(100, 0));

        assertThat(resultOf(attaching).isHeld()).isTrue();
        assertThat(former.isHeld()).isFalse();
        awaitLoss(LossCause.OWNER_CHANGED);
    }

    /** It gets neither their refusals nor their grants, and they not its own. */
    @Test
    void isIndependentOfOtherCallersOfThisInstance() throws Exception {
        CompletableFuture<LockHandle> waiting = engine.acquireAsync(REQUEST.maxWait(Duration.ofHours(1)));
        Sent<AcquireCommand, AcquireResult> first = backend.nextAcquire();
        CompletableFuture<LockHandle> attaching = attaching();
        assertThat(backend.pollAcquire()).isEmpty();

        first.answer().complete(contended());
        Sent<AcquireCommand, AcquireResult> attach = backend.nextAcquire();
        assertThat(attach.command().replaced()).isPresent();
        assertThat(attach.command().fencingTokens()).isEqualTo(1);
        assertThat(attaching).isNotDone();
        backend.signal(KEY); // is for the waiter, also if it comes now
        attach.answer().complete(new AcquireResult.Contended(Optional.of(Duration.ZERO), Waiting.NEW));

        assertThatThrownBy(() -> resultOf(attaching))
                .cause()
                .isInstanceOf(LockLostException.class)
                .hasMessageContaining("the lock is free");
        assertThat(waiting).isNotDone();
        Sent<AcquireCommand, AcquireResult> next = backend.nextAcquire();
        assertThat(next.command().replaced()).isEmpty();
        next.answer().complete(grant(100, 0));
        assertThat(resultOf(waiting).isHeld()).isTrue();
    }

    @Test
    void isNotGrantedByAHandoverOrAnotherGrant() throws Exception {
        LockHandle held = waitedFor(REQUEST, 100, 0);
        CompletableFuture<LockHandle> attaching = attaching();
        Sent<AcquireCommand, AcquireResult> attach = backend.nextAcquire();

        releasing(held);
        backend.nextRelease().answer().complete(new ReleaseResult.Released(0));

        assertThat(attaching).isNotDone();
        attach.answer().complete(contended());
        assertFails(attaching, LockLostException.class);
    }

    @Test
    void theFirstUnknownAttachDoesNotPreventASecond() throws Exception {
        CompletableFuture<LockHandle> first = attaching();
        backend.nextAcquire().answer().complete(unknown);
        assertFails(first, LockBackendException.class);
        backend.nextRelease().answer().complete(new ReleaseResult.NotHeld()); // it was not executed

        CompletableFuture<LockHandle> second = attaching();
        backend.nextAcquire().answer().complete(grant(100, 0));

        assertThat(resultOf(second).isHeld()).isTrue();
        assertThat(losses).isEmpty();
    }
}
