package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.ManualBackend.Sent;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Renewals in one batch do not affect each other. */
@Tag(Effort.SLOW)
class EngineRenewalInterleavingTests extends EngineInterleavings {

    private static final int MANY = 10;
    private static final Duration LEASE = EngineSettings.DEFAULTS.lease();
    private static final ResolvedRequest TERMS = ResolvedRequest.of(REQUEST, EngineSettings.DEFAULTS);

    @Test
    void renewsLocksThatAreDueAtAboutTheSameTimeTogether() throws Exception {
        List<LockHandle> held = holdMany();
        letPass(LEASE.dividedBy(3));

        await().until(() -> sum(backend.renewCalls) == MANY);
        assertThat(backend.renewCalls).as("calls").hasSize(1);
        assertThat(held).allMatch(LockHandle::isHeld);
    }

    @Test
    void losesOneOfManyLocksAndKeepsTheOthers() throws Exception {
        List<LockHandle> held = holdMany();
        for (Sent<RenewCommand, RenewResult> renewal : nextRenewals()) {
            boolean lost = renewal.command().key().equals(keyOf(3));
            renewal.answer().complete(lost ? new RenewResult.NotHeld() : new RenewResult.Renewed());
        }

        await().untilAsserted(
                        () -> assertThat(losses).extracting(LockEvent.Lost::key).containsExactly(keyOf(3)));
        for (int i = 0; i < MANY; i++) {
            assertThat(held.get(i).isHeld()).isEqualTo(i != 3);
            assertThat(held.get(i).remainingLease().compareTo(LEASE.dividedBy(2)) > 0)
                    .isEqualTo(i != 3);
        }
    }

    @Test
    void repeatsEachRenewalWithoutAnAnswer() throws Exception {
        List<LockHandle> held = holdMany();
        for (Sent<RenewCommand, RenewResult> renewal : nextRenewals()) {
            renewal.answer().complete(new RenewResult.Unknown("no answer within 2s", cause));
        }

        assertThat(nextRenewals())
                .extracting(renewal -> renewal.command().key())
                .containsExactlyInAnyOrderElementsOf(
                        held.stream().map(LockHandle::key).toList());
        assertThat(backend.renewCalls).as("calls").hasSize(2);
        assertThat(held).allMatch(LockHandle::isHeld);
    }

    @Test
    void sendsTheReleaseOfOneOfManyLocksAfterTheAnswerToItsRenewal() throws Exception {
        AtomicReference<CompletableFuture<ReleaseOutcome>> releasing = new AtomicReference<>();
        List<LockHandle> held = holdMany();
        LockHandle leaving = held.get(3);
        backend.duringRenewal = () -> {
            if (releasing.get() == null) {
                releasing.set(releasing(leaving));
                await().pollDelay(Duration.ofMillis(50)).until(() -> true); // it could be sent in between
            }
        };

        List<Sent<RenewCommand, RenewResult>> renewals = nextRenewals();
        await().until(() -> !leaving.isHeld());
        answer(renewals, renewal -> !renewal.key().equals(leaving.key()));
        assertThat(backend.log).noneMatch(ReleaseCommand.class::isInstance);
        answer(renewals, renewal -> renewal.key().equals(leaving.key()));
        Sent<ReleaseCommand, ReleaseResult> release = backend.nextRelease();
        assertThat(release.command().key()).isEqualTo(leaving.key());
        release.answer().complete(new ReleaseResult.Released(0));
        assertThat(Objects.requireNonNull(releasing.get()).get(Patience.SECONDS, TimeUnit.SECONDS))
                .isEqualTo(ReleaseOutcome.RELEASED);

        letPass(LEASE.dividedBy(3));
        for (int i = 0; i < MANY - 1; i++) {
            assertThat(backend.nextRenewal().command().key()).isNotEqualTo(leaving.key());
        }
        List<Object> ofTheLeaving = backend.log.stream()
                .filter(command -> command instanceof RenewCommand renew
                        ? renew.key().equals(leaving.key())
                        : command instanceof ReleaseCommand)
                .toList();
        assertThat(ofTheLeaving).last().isInstanceOf(ReleaseCommand.class);
        assertThat(held).filteredOn(handle -> handle != leaving).allMatch(LockHandle::isHeld);
    }

    private static void answer(List<Sent<RenewCommand, RenewResult>> renewals, Predicate<RenewCommand> which) {
        for (Sent<RenewCommand, RenewResult> renewal : renewals) {
            if (which.test(renewal.command())) {
                renewal.answer().complete(new RenewResult.Renewed());
            }
        }
    }

    private List<LockHandle> holdMany() throws Exception {
        awaitTheNextRow();
        List<CompletableFuture<LockHandle>> acquiring = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            acquiring.add(engine.acquireAsync(LockRequest.of(keyOf(i))));
        }
        List<LockHandle> held = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            backend.nextAcquire().answer().complete(new AcquireResult.Granted(1, 0));
        }
        for (CompletableFuture<LockHandle> each : acquiring) {
            held.add(resultOf(each));
        }
        return held;
    }

    /** Requests of the same moment are due at the same time. */
    private void awaitTheNextRow() {
        long row = TERMS.renewAt(clock.nanos());
        while (TERMS.renewAt(clock.nanos()) == row) {
            letPass(Duration.ofMillis(1));
        }
    }

    private List<Sent<RenewCommand, RenewResult>> nextRenewals() {
        letPass(LEASE.dividedBy(3));
        List<Sent<RenewCommand, RenewResult>> renewals = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            renewals.add(backend.nextRenewal());
        }
        return renewals;
    }

    private static int sum(List<Integer> numbers) {
        return numbers.stream().mapToInt(Integer::intValue).sum();
    }

    private static String keyOf(int i) {
        return "order:" + i;
    }
}
