package io.github.lockstarter.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.actuate.LocksEndpoint.Release;
import io.github.lockstarter.actuate.LocksEndpoint.Release.ReportedOutcome;
import io.github.lockstarter.actuate.LocksReport.HeldLockReport;
import io.github.lockstarter.actuate.LocksReport.StoredLockReport;
import io.github.lockstarter.actuate.LocksReport.StoredLockReport.State;
import io.github.lockstarter.actuate.LocksReport.WaiterReport;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import java.security.Principal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.boot.actuate.audit.AuditEvent;
import org.springframework.boot.actuate.audit.listener.AuditApplicationEvent;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.Show;
import org.springframework.boot.actuate.endpoint.invoke.OperationParameter;
import org.springframework.boot.actuate.endpoint.invoke.reflect.OperationMethod;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** The endpoint over a real engine, with a second one as another instance of the application. */
@ExtendWith(OutputCaptureExtension.class)
class LocksEndpointTests {

    private final LocalLockBackend backend = new LocalLockBackend();
    private final LockEngine engine = newEngine(EngineSettings.DEFAULTS);
    private final LockEngine other = newEngine(EngineSettings.DEFAULTS.at("pod-7/orders"));
    private final List<Object> published = new ArrayList<>();
    private final LocksEndpoint endpoint = endpoint(Show.ALWAYS);

    @AfterEach
    void close() {
        engine.close();
        other.close();
        backend.close();
    }

    private LockEngine newEngine(EngineSettings settings) {
        return new LockEngine(backend, settings, List.of(), EngineClock.SYSTEM);
    }

    private LocksEndpoint endpoint(Show showValues) {
        return new LocksEndpoint(
                engine.admin(),
                Map.of("otherLocks", other.admin()),
                published::add,
                showValues,
                Set.of(),
                new LockDiagnosis(""));
    }

    @Test
    void listsTheHeldLocks() {
        engine.acquire(LockRequest.of("order:7"));
        engine.acquire(LockRequest.of("order:42"));
        other.acquire(LockRequest.of("order:1"));

        LocksReport report = endpoint.locks(SecurityContext.NONE, null, null, null, null);

        assertThat(report.held()).extracting(HeldLockReport::key).containsExactlyInAnyOrder("order:42", "order:7");
        assertThat(report.heldTotal()).isEqualTo(2);
        assertThat(report.waitingTotal()).isZero();
        assertThat(report.instance())
                .isEqualTo(engine.admin().instance())
                .isNotEqualTo(other.admin().instance());
        assertThat(report.store()).isNull();
    }

    @Test
    void showsTheDetailsOfAHeldLock() {
        Instant before = Instant.now();
        LockRequest request = LockRequest.of("order:7")
                .named("ship-order")
                .lease(Duration.ofSeconds(30))
                .withoutRenewal();
        LockHandle held = engine.acquire(request);
        engine.acquire(request);

        HeldLockReport shown = endpoint.locks(SecurityContext.NONE, "order:7", null, null, null)
                .held()
                .get(0);

        assertThat(shown.name()).isEqualTo("ship-order");
        assertThat(shown.fencingToken()).isEqualTo(held.fencingToken());
        assertThat(shown.owner()).isEqualTo(Thread.currentThread().getName());
        assertThat(shown.heldSince()).isBetween(before.minusMillis(1), Instant.now());
        assertThat(shown.remainingLeaseMs()).isBetween(1L, 30_000L);
        assertThat(shown.holdCount()).isEqualTo(2);
        assertThat(shown.renewals()).isZero();
        assertThat(shown.handovers()).isZero();
        assertThat(shown.state()).isEqualTo(HoldState.HELD);
        assertThat(shown.takenOverFrom()).isNull();
    }

    @Test
    void showsWhichLocksAreHeldWithoutLimit() {
        LockRequest endless = LockRequest.of("endless");
        LockRequest limited = LockRequest.of("limited").maxHold(Duration.ofHours(1));
        LockRequest leased =
                LockRequest.of("leased").lease(Duration.ofSeconds(30)).withoutRenewal();
        Stream.of(endless, limited, leased).forEach(engine::acquire);

        List<HeldLockReport> held =
                endpoint.locks(SecurityContext.NONE, null, null, null, null).held();
        assertThat(held)
                .extracting(HeldLockReport::key, HeldLockReport::maxHoldMs)
                .contains(tuple("endless", null), tuple("limited", 3_600_000L));
        assertThat(held)
                .filteredOn(HeldLockReport::key, "leased")
                .singleElement()
                .satisfies(one ->
                        assertThat(one.maxHoldMs()).isBetween(one.heldForMs() + one.remainingLeaseMs(), 30_000L));
    }

    @Test
    void showsTheSameTimeOfAcquisitionOnEveryRead() {
        engine.acquire(LockRequest.of("order:7"));

        assertThat(Stream.generate(() -> endpoint.locks(SecurityContext.NONE, "order:7", null, null, null))
                        .limit(50)
                        .map(report -> report.held().get(0).heldSince())
                        .distinct())
                .hasSize(1);
    }

    @Test
    void showsAHoldInDoubtAndTheInstanceItWasTakenOverFrom() {
        Duration second = Duration.ofSeconds(1);
        HeldLock held = new HeldLock(
                "ship-order",
                "order:7",
                0,
                17,
                "worker-1",
                Instant.EPOCH,
                second,
                second,
                Optional.empty(),
                1,
                0,
                0,
                HoldState.IN_DOUBT,
                Optional.of(new LockHolder("3f2a91c0")));

        HeldLockReport shown = HeldLockReport.of(held, true);

        assertThat(shown.state()).isEqualTo(HoldState.IN_DOUBT);
        assertThat(shown.takenOverFrom()).isEqualTo("3f2a91c0");
    }

    @Test
    void showsThatTheHolderOfALockIsSilent() {
        StoredLock.Held connected =
                new StoredLock.Held(Optional.of(new LockHolder("3f2a91c0")), Optional.empty(), 17, 1);
        StoredLock.Held doubted =
                new StoredLock.Held(connected.holder(), Optional.empty(), 17, 1, Optional.of(Duration.ofMillis(300)));

        assertThat(StoredLockReport.of(connected).state()).isEqualTo(State.HELD);
        assertThat(StoredLockReport.of(connected).inDoubtForMs()).isNull();
        assertThat(StoredLockReport.of(doubted).state()).isEqualTo(State.IN_DOUBT);
        assertThat(StoredLockReport.of(doubted).inDoubtForMs()).isEqualTo(300);
        assertThat(StoredLockReport.of(doubted).holder()).isEqualTo(new LockHolder("3f2a91c0"));
    }

    @Test
    void showsWaiters() {
        other.acquire(LockRequest.of("order:7"));
        engine.acquireAsync(LockRequest.of("order:7").named("ship-order").maxWait(Patience.TIME));

        await().untilAsserted(() -> assertThat(endpoint.locks(SecurityContext.NONE, null, null, null, null)
                        .waiting())
                .singleElement()
                .satisfies(waiter -> {
                    assertThat(waiter.key()).isEqualTo("order:7");
                    assertThat(waiter.name()).isEqualTo("ship-order");
                    assertThat(waiter.owner()).isEqualTo(HeldLock.ASYNC);
                    assertThat(waiter.position()).isEqualTo(1);
                    assertThat(waiter.attempts()).isPositive();
                }));
    }

    @Test
    void readsTheStoreOnlyForASingleLock() {
        LockHandle theirs = other.acquire(LockRequest.of("order:7"));
        engine.acquire(LockRequest.of("order:8"));

        LocksReport report = endpoint.locks(SecurityContext.NONE, "order:7", null, null, null);

        assertThat(report.held()).isEmpty();
        LocksReport.StoredLockReport store = report.store();
        assertThat(store).isNotNull();
        assertThat(store.state()).isEqualTo(State.HELD);
        assertThat(store.holder()).isNotNull();
        assertThat(store.holder().instance()).isEqualTo(other.admin().instance());
        assertThat(store.holder().host()).contains("pod-7");
        assertThat(store.holder().application()).contains("orders");
        assertThat(store.fencingToken()).isEqualTo(theirs.fencingToken());
        assertThat(store.remainingMs()).isBetween(1L, 30_000L);

        theirs.release();
        assertThat(endpoint.locks(SecurityContext.NONE, "order:7", null, null, null)
                        .store()
                        .state())
                .isEqualTo(State.FREE);
    }

    @Test
    void showsTheReadersOfALockAndReleasesOneOfThem() {
        LockRequest toRead = LockRequest.of("catalog:7").mode(LockMode.READ);
        LockHandle ours = engine.acquire(toRead);
        engine.acquire(toRead.ownedByHandle());
        LockHandle theirs = other.acquire(toRead);
        LockHandle written = engine.acquire(LockRequest.of("order:7"));
        other.acquireAsync(LockRequest.of("catalog:7").maxWait(Patience.TIME));
        await().untilAsserted(() -> assertThat(endpoint.locks(SecurityContext.NONE, null, null, "otherLocks", null)
                        .waiting())
                .singleElement()
                .extracting(WaiterReport::mode)
                .isEqualTo(LockMode.WRITE));

        LocksReport report = endpoint.locks(SecurityContext.NONE, "catalog:7", null, null, null);

        assertThat(report.held())
                .singleElement()
                .extracting(HeldLockReport::mode, HeldLockReport::holdCount, HeldLockReport::slot)
                .containsExactly(LockMode.READ, 2, ours.slot());
        assertThat(endpoint.locks(SecurityContext.NONE, "order:7", null, null, null)
                        .held())
                .extracting(HeldLockReport::mode)
                .containsExactly(LockMode.WRITE);
        assertThat(report.store().state()).isEqualTo(State.READ);
        await().untilAsserted(
                        () -> assertThat(stored("catalog:7").waitingInstances()).isEqualTo(1));
        assertThat(report.store().holder()).isNull();
        assertThat(report.store().readers()).hasSize(2).last().satisfies(reader -> {
            assertThat(reader.state()).isEqualTo(State.HELD);
            assertThat(reader.slot()).isEqualTo(theirs.slot());
            assertThat(reader.fencingToken()).isEqualTo(theirs.fencingToken());
            assertThat(reader.remainingMs()).isBetween(1L, 30_000L);
            assertThat(reader.holder().host()).hasValue("pod-7");
        });
        assertThat(endpoint.release(
                                SecurityContext.NONE, "catalog:7", theirs.fencingToken(), "hangs", null, theirs.slot())
                        .getBody()
                        .outcome())
                .isEqualTo(ReportedOutcome.RELEASED);
        await().untilAsserted(() -> assertThat(theirs.isHeld()).isFalse());
        assertThat(stored("catalog:7").readers()).hasSize(1);
        assertThat(ours.isHeld()).isTrue();
        assertThat(written.isHeld()).isTrue();
    }

    private StoredLockReport stored(String key) {
        return endpoint.locks(SecurityContext.NONE, key, null, null, null).store();
    }

    @Test
    void refusesASlotThatNoLockHas() {
        assertThatThrownBy(() -> endpoint.locks(SecurityContext.NONE, "order:7", null, null, 1_056))
                .isInstanceOf(InvalidEndpointRequestException.class)
                .hasMessage("The slot is 1056; give 0 to 1055");
    }

    @Test
    void limitsLongLists() {
        IntStream.range(0, 25).forEach(i -> engine.acquire(LockRequest.of("order:" + i)));

        LocksReport report = endpoint.locks(SecurityContext.NONE, null, 10, null, null);

        assertThat(report.heldTotal()).isEqualTo(25);
        assertThat(report.held()).hasSize(10);
        assertThat(endpoint.locks(SecurityContext.NONE, null, null, null, null).held())
                .hasSize(25);
        assertThatThrownBy(() -> endpoint.locks(SecurityContext.NONE, null, 0, null, null))
                .isInstanceOf(InvalidEndpointRequestException.class)
                .hasMessageContaining("limit");
    }

    @Test
    void showsAndReleasesLocksOfAnAdditionalStore() {
        engine.acquire(LockRequest.of("order:7"));
        LockHandle theirs = other.acquire(LockRequest.of("order:8"));

        LocksReport report = endpoint.locks(SecurityContext.NONE, null, null, "otherLocks", null);

        assertThat(report.instance()).isEqualTo(other.admin().instance());
        assertThat(keysOf(report)).containsExactly("order:8");
        assertThat(endpoint.release(SecurityContext.NONE, "order:8", theirs.fencingToken(), "hangs", "otherLocks", null)
                        .getBody()
                        .outcome())
                .isEqualTo(ReportedOutcome.RELEASED);
        assertThat(theirs.isHeld()).isFalse();
        assertThatThrownBy(() -> endpoint.locks(SecurityContext.NONE, null, null, "jdbcLocks", null))
                .isInstanceOf(InvalidEndpointRequestException.class)
                .hasMessage("There is no further store 'jdbcLocks'; there are [otherLocks]");
    }

    @Test
    void masksKeysForUsersWithoutAccess() {
        engine.acquire(LockRequest.of("order:7"));
        LocksEndpoint never = endpoint(Show.NEVER);
        LocksEndpoint authorized = endpoint(Show.WHEN_AUTHORIZED);

        assertThat(keysOf(never.locks(SecurityContext.NONE, null, null, null, null)))
                .containsExactly(LocksReport.MASKED);
        assertThat(keysOf(authorized.locks(SecurityContext.NONE, null, null, null, null)))
                .containsExactly(LocksReport.MASKED);
        assertThat(keysOf(authorized.locks(security("eve"), null, null, null, null)))
                .containsExactly("order:7");
        assertThat(keysOf(never.locks(SecurityContext.NONE, "order:7", null, null, null)))
                .containsExactly("order:7");
    }

    @Test
    void releasesTheLockThatTheOperatorSawAndReportsIt() {
        LockHandle theirs = other.acquire(LockRequest.of("order:7"));

        Release release = endpoint.release(security("eve"), "order:7", theirs.fencingToken(), "hangs", null, null)
                .getBody();

        assertThat(release.outcome()).isEqualTo(ReportedOutcome.RELEASED);
        await().untilAsserted(() -> assertThat(theirs.isHeld()).isFalse());
        engine.acquire(LockRequest.of("order:7"));
        assertThat(audit()).satisfies(event -> {
            assertThat(event.getPrincipal()).isEqualTo("eve");
            assertThat(event.getType()).isEqualTo(LocksEndpoint.AUDIT_TYPE);
            assertThat(event.getData())
                    .containsEntry("key", "order:7")
                    .containsEntry("fencingToken", theirs.fencingToken())
                    .containsEntry("reason", "hangs")
                    .containsEntry("outcome", "released");
        });
    }

    @Test
    void namesTheStoreOfAReleasedLock(CapturedOutput output) {
        LockHandle theirs = other.acquire(LockRequest.of("order:7"));

        endpoint.release(security("eve"), "order:7", theirs.fencingToken(), "hangs", "otherLocks", null);

        assertThat(audit().getData()).containsEntry("locks", "otherLocks");
        assertThat(output).contains("(fencing token " + theirs.fencingToken() + ") of otherLocks: hangs");
    }

    @Test
    void logsEachReleaseInOneLine(CapturedOutput output) {
        LockHandle theirs = other.acquire(LockRequest.of("order:7\nforged"));

        endpoint.release(security("eve"), "order:7\nforged", theirs.fencingToken(), "hangs\nforged", null, null);

        assertThat(output.getAll().lines().filter(line -> line.contains("eve")))
                .singleElement()
                .asString()
                .contains(
                        "WARN",
                        "fencing token " + theirs.fencingToken(),
                        "order:7\\nforged",
                        "hangs\\nforged",
                        "RELEASED");
    }

    @Test
    void releasesNothingForAStaleFencingToken() {
        LockHandle theirs = other.acquire(LockRequest.of("order:7"));
        long stale = theirs.fencingToken() - 1;

        assertThat(endpoint.release(security("eve"), "order:7", stale, "hangs", null, null)
                        .getStatus())
                .isEqualTo(409);

        assertThat(theirs.isHeld()).isTrue();
        assertThat(engine.tryAcquire(LockRequest.of("order:7"))).isEmpty();
        assertThat(audit().getData()).containsEntry("outcome", "stale");
    }

    @Test
    void requiresAReason() {
        assertThatThrownBy(() -> endpoint.release(SecurityContext.NONE, "order:7", 17, " ", null, null))
                .isInstanceOf(InvalidEndpointRequestException.class)
                .hasMessageContaining("reason");
        assertThat(published).isEmpty();
    }

    @Test
    void everyParameterOfTheReadIsOptional() throws NoSuchMethodException {
        OperationMethod operation = new OperationMethod(
                LocksEndpoint.class.getMethod(
                        "locks", SecurityContext.class, String.class, Integer.class, String.class, Integer.class),
                OperationType.READ);

        assertThat(operation.getParameters())
                .filteredOn(parameter -> !parameter.isMandatory())
                .extracting(OperationParameter::getName)
                .containsExactly("key", "limit", "locks", "slot");
    }

    private AuditEvent audit() {
        assertThat(published).hasSize(1);
        return ((AuditApplicationEvent) published.get(0)).getAuditEvent();
    }

    private static List<String> keysOf(LocksReport report) {
        return report.held().stream().map(HeldLockReport::key).toList();
    }

    private static SecurityContext security(String name) {
        return new SecurityContext() {
            @Override
            public Principal getPrincipal() {
                return () -> name;
            }

            @Override
            public boolean isUserInRole(String role) {
                return false;
            }
        };
    }

    @Test
    void showsAndReleasesALockThatIsKeptForItsMinimumHold() {
        LockRequest tick = LockRequest.of("report").minHold(Duration.ofSeconds(20));
        long fencingToken = fencingTokenOf(tick);

        LocksReport.StoredLockReport store =
                endpoint.locks(SecurityContext.NONE, "report", null, null, null).store();

        assertThat(store.state()).isEqualTo(State.KEPT);
        assertThat(store.fencingToken()).isEqualTo(fencingToken);
        assertThat(store.remainingMs()).isBetween(1L, 20_000L);
        assertThat(endpoint.release(SecurityContext.NONE, "report", fencingToken, "run it again", null, null)
                        .getBody()
                        .outcome())
                .isEqualTo(ReportedOutcome.RELEASED);
        assertThat(engine.tryAcquire(tick)).isPresent();
    }

    private long fencingTokenOf(LockRequest request) {
        try (LockHandle held = other.acquire(request)) {
            return held.fencingToken();
        }
    }

    /** Free it is, and cannot be had. */
    @Test
    void showsThatTheStoreMayHaveForgottenTheOwnerOfALock() {
        LocksReport.StoredLockReport store =
                LocksReport.StoredLockReport.of(new StoredLock.Free(0, 0, Duration.ofSeconds(20)));
        assertThat(store.state()).isEqualTo(State.RECOVERING);
        assertThat(store.remainingMs()).isEqualTo(20_000);
        LocksReport.StoredLockReport free = LocksReport.StoredLockReport.of(new StoredLock.Free(0, 0));
        assertThat(free.state()).isEqualTo(State.FREE);
        assertThat(free.fencingToken()).isNull();
        assertThat(LocksReport.StoredLockReport.of(new StoredLock.Free(7, 0)).fencingToken())
                .isEqualTo(7);
    }
}
