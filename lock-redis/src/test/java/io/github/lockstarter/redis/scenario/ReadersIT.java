package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockMode;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.redis.KeySpace;
import io.github.lockstarter.redis.LockScript;
import io.github.lockstarter.redis.connection.RoutingProxy;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.testing.CriticalSection;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.WarmUp;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Readers and writers in several instances, under leases that outlive the test. */
class ReadersIT extends RedisScenario {

    private static final Duration TAKEOVER =
            EngineSettings.DEFAULTS.terms().crashTakeover().orElseThrow();

    private static final int ROUNDS = 25;
    private static final int MANY_READS = 30;

    private final LockRequest toWrite = request.ownedByHandle().maxWait(Patience.TIME);
    private final LockRequest toRead = toWrite.mode(LockMode.READ);
    private final List<RoutingProxy> proxies = new ArrayList<>();

    @AfterEach
    void closeProxies() throws IOException {
        for (RoutingProxy proxy : proxies) {
            proxy.close();
        }
    }

    /** An instance with another version of the scripts. */
    private Application newApplication(UnaryOperator<String> scripts) throws IOException {
        RoutingProxy proxy = new RoutingProxy(List.of(server()), true, scripts);
        proxies.add(proxy);
        return newApplication(
                new RedisStore(RedisURI.create("127.0.0.1", proxy.port())).with(settings()),
                Application.settings(LONG_LEASE));
    }

    private static UnaryOperator<String> replacing(LockScript script, String rule, String replacement) {
        assertThat(script.text()).containsOnlyOnce(rule);
        return text -> text.equals(script.text()) ? text.replace(rule, replacement) : text;
    }

    @Test
    void readersExcludeOnlyWritersAndLaterFencingTokensAreGreater() throws Exception {
        List<Application> applications = List.of(newApplication(), newApplication(), newApplication());
        CriticalSection section = new CriticalSection();

        compete(section, applications, applications);

        assertThat(section.detector().overlaps()).isEmpty();
        assertThat(section.detector().fencingViolations()).isEmpty();
        assertThat(section.count()).as("lost no write").isEqualTo(applications.size() * ROUNDS);
        assertNothingLeft();
    }

    @Test
    @Tag(Effort.FULL)
    void theCheckFindsAWriterThatIgnoresReaders() throws Exception {
        Application careless =
                newApplication(replacing(LockScript.ACQUIRE_READ, "    owners[#owners + 1] = owner\n", ""));
        List<Application> readers = List.of(newApplication(), newApplication());
        CriticalSection section = new CriticalSection();

        await().until(() -> {
            compete(section, List.of(careless), readers);
            return !section.detector().overlaps().isEmpty();
        });
    }

    /** One writing thread in each of these applications, and three reading ones in each of those. */
    private void compete(CriticalSection section, List<Application> writing, List<Application> reading)
            throws Exception {
        List<Future<?>> callers = new ArrayList<>();
        for (Application application : writing) {
            callers.add(elsewhere(() -> repeat(application, toWrite, section)));
        }
        for (Application application : reading) {
            for (int i = 0; i < 3; i++) {
                callers.add(elsewhere(() -> repeat(application, toRead, section)));
            }
        }
        for (Future<?> caller : callers) {
            resultOf(caller);
        }
    }

    private static boolean repeat(Application application, LockRequest request, CriticalSection section) {
        for (int i = 0; i < ROUNDS; i++) {
            LockHandle held = application.locks().acquire(request);
            if (request.terms().reads()) {
                section.read(held.fencingToken());
            } else {
                section.run(held.fencingToken());
            }
            held.release(); // does not throw if the lock was lost, as in the control
        }
        return true;
    }

    /** Each reader begins before the one before has ended. */
    @Test
    void aWriterIsNextHoweverManyReadersFollowEachOther() throws Exception {
        assertThat(readsBesideAWaitingWriter(List.of(newApplication(), newApplication())))
                .isZero();
    }

    @Test
    @Tag(Effort.FULL)
    void theCheckFindsReadersThatPassAWaitingWriter() throws Exception {
        UnaryOperator<String> careless =
                replacing(LockScript.ACQUIRE_READ, "isBehind = position and", "isBehind = false and position and");

        assertThat(readsBesideAWaitingWriter(List.of(newApplication(careless), newApplication(careless))))
                .isEqualTo(MANY_READS);
    }

    private int readsBesideAWaitingWriter(List<Application> readers) throws Exception {
        LockHandle reading = readers.get(0).locks().acquire(toRead);
        Application writer = newApplication();
        Future<LockHandle> next = elsewhere(() -> writer.locks().acquire(toWrite));
        awaitWaiting();
        int reads = 0;
        boolean joins = true;
        while (joins && reads < MANY_READS) {
            LockRequest once = toRead.withoutWaiting();
            LockHandle following =
                    readers.get((reads + 1) % 2).locks().tryAcquire(once).orElse(reading);
            joins = following != reading;
            if (joins) {
                assertThat(next).isNotDone();
                reading.close();
                reading = following;
                reads++;
            }
        }
        reading.close();
        assertThat(resultOf(next).fencingToken()).isGreaterThan(reading.fencingToken());
        return reads;
    }

    @Test
    void aReaderThatCrashedKeepsNoWriterOutOnceTheOthersHaveEnded() throws Exception {
        Application first = takingPart(newApplication());
        Application second = takingPart(newApplication());
        Application heir = takingPart(newApplication());
        try (ChildJvm crashing = HoldingJvm.startReading(server(), key, LONG_LEASE, TAKEOVER)) {
            crashing.awaitLine("held"::equals, Patience.TIME);
            LockHandle one = first.locks().acquire(toRead);
            LockHandle other = second.locks().acquire(toRead);
            Future<LockHandle> next = elsewhere(() -> heir.locks().acquire(toWrite));
            awaitWaiting();

            crashing.kill();
            letPass(TAKEOVER.multipliedBy(2));
            one.ensureHeld(); // not isHeld(): a pause brings a lock in doubt
            other.ensureHeld();
            assertThat(next).isNotDone();
            one.close();
            other.close();

            LockHandle taken = resultOf(next);
            assertThat(heir.events().of(LockEvent.Acquired.class))
                    .last()
                    .extracting(LockEvent.Acquired::path)
                    .isEqualTo(Path.TAKEN_OVER);
            assertThat(taken.fencingToken()).isGreaterThan(other.fencingToken());
            taken.close();
        }
        assertNothingLeft();
    }

    @Test
    @Tag(Effort.FULL)
    void aReaderFollowsAWriterThatCrashed() throws Exception {
        Application heir = takingPart(newApplication());
        try (ChildJvm crashing = HoldingJvm.start(server(), key, LONG_LEASE, TAKEOVER)) {
            crashing.awaitLine("held"::equals, Patience.TIME);
            Future<LockHandle> next = elsewhere(() -> heir.locks().acquire(toRead));
            awaitWaiting();

            crashing.kill();

            assertThat(resultOf(next).fencingToken())
                    .isGreaterThan(HoldingJvm.fencingToken(crashing, 0).orElseThrow());
            assertThat(redis().get(lockKey)).endsWith(" %read");
        }
    }

    @Test
    void nobodyWritesBetweenAWriterAndItsReading() throws Exception {
        Application first = newApplication();
        Application second = newApplication();
        LockHandle held = first.locks().acquire(toWrite);
        Future<LockHandle> next = elsewhere(() -> second.locks().acquire(toWrite));
        awaitWaiting();

        held.downgrade();

        assertThat(redis().get(lockKey)).endsWith(" %read");
        letPass(Duration.ofMillis(Patience.MOMENT_MILLIS));
        assertThat(next).isNotDone();
        held.ensureHeld();
        held.close();
        assertThat(resultOf(next).fencingToken()).isGreaterThan(held.fencingToken());
    }

    @Test
    void reloadsScriptsThatTheServerHasForgotten() {
        Application first = newApplication();
        Application second = newApplication();
        LockHandle one = first.locks().acquire(toRead);
        redis().scriptFlush();
        LockHandle other = second.locks().acquire(toRead);
        redis().scriptFlush();
        assertThat(first.locks().tryAcquire(toWrite.withoutWaiting())).isEmpty();
        for (LockHandle each : List.of(one, other)) {
            redis().scriptFlush();
            assertThat(each.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
        assertNothingLeft();
    }

    /** Without a command, and so without a wait. */
    @Test
    void refusesAReaderToWriteAtOnce() {
        Application application = newApplication();
        LockRequest ofThread = request.maxWait(Patience.TIME);
        try (LockHandle reading = application.locks().acquire(ofThread.mode(LockMode.READ))) {
            assertThatThrownBy(() -> application.locks().acquire(ofThread))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("Release the lock that is read first");
            assertThat(application.backend().count(Verb.ACQUIRE, key)).isOne();
            reading.ensureHeld();
        }
        assertNothingLeft();
    }

    /** Of an earlier version, whose scripts take the mark for an owner that they do not know. */
    @Test
    void anInstanceWithoutReadersExcludesThemAndWaitsForThem() throws Exception {
        Application old = newApplication(
                text -> text.equals(LockScript.ACQUIRE_READ.text()) || text.equals(LockScript.RELEASE_READ.text())
                        ? "return redis.error_reply('ERR a later version')"
                        : replacing(LockScript.ACQUIRE, "string.sub(owner, 18) == '%read'", "false")
                                .apply(text));
        Application first = newApplication();
        Application second = newApplication();
        LockHandle reading = first.locks().acquire(toRead);
        assertThat(old.locks().tryAcquire(toWrite.withoutWaiting())).isEmpty();
        Future<LockHandle> next = elsewhere(() -> old.locks().acquire(toWrite));
        awaitWaiting();
        assertThat(second.locks().tryAcquire(toRead.withoutWaiting())).isEmpty();
        assertThat(next).isNotDone();
        reading.close();

        LockHandle written = resultOf(next);
        assertThat(written.fencingToken()).isGreaterThan(reading.fencingToken());
        assertThat(first.locks().tryAcquire(toRead.withoutWaiting())).isEmpty();
        Future<LockHandle> reader = elsewhere(() -> second.locks().acquire(toRead));
        awaitWaiting();
        written.close();
        resultOf(reader).close();

        CriticalSection section = new CriticalSection();
        compete(section, List.of(old, first), List.of(first, second));
        assertThat(section.detector().overlaps()).isEmpty();
        assertThat(section.detector().fencingViolations()).isEmpty();
        assertNothingLeft();
    }

    /** The mark is there, for a reader that the replica knows, which then leaves. */
    @Test
    void aReaderThatAPromotedReplicaLacksKeepsWritersOut() {
        assertThat(isWrittenBesideAForgottenReader(RedisStore.guarding(LONG_LEASE)))
                .isFalse();
    }

    @Test
    @Tag(Effort.FULL)
    void theCheckFindsAWriterBesideAForgottenReaderWithoutTheGuard() {
        assertThat(isWrittenBesideAForgottenReader(RedisStore.WITHOUT_GRACE)).isTrue();
    }

    private boolean isWrittenBesideAForgottenReader(RedisSettings settings) {
        EngineSettings engine = Application.settings(LONG_LEASE);
        try (RedisServer master = RedisServer.start();
                RedisServer replica = RedisServer.start();
                TcpProxy proxy = TcpProxy.before(master)) {
            replica.follow(master);
            await().until(() -> "up".equals(replica.info("replication").get("master_link_status")));
            try (RedisStore store = RedisStore.behind(proxy).with(settings);
                    ClockedEngine known = new ClockedEngine(store.connect(), engine);
                    ClockedEngine forgotten = new ClockedEngine(store.connect(), engine);
                    ClockedEngine writer = new ClockedEngine(store.connect(), engine)) {
                WarmUp.connect(writer.locks(), key + ":warm-up");
                LockHandle copied = known.locks().acquire(toRead);
                await().until(() -> replica.commands().exists(slotOf(copied)) == 1);
                replica.promote();
                LockHandle reading = forgotten.locks().acquire(toRead);
                master.kill();
                proxy.retarget(replica);
                copied.release();
                await().until(() -> replica.commands().exists(slotOf(copied), lockKey) == 0);

                if (isGranted(writer)) {
                    assertThat(reading.isHeld()).isTrue();
                    return true;
                }
                forgotten.passUntilTheRenewal(LONG_LEASE);
                forgotten.passUntil(() -> {
                    assertThat(isGranted(writer)).isFalse();
                    return replica.commands().exists(slotOf(reading), lockKey) == 2;
                });
                assertThat(isGranted(writer)).isFalse();
                assertThat(reading.isHeld()).isTrue();
                assertThat(reading.release()).isEqualTo(ReleaseOutcome.RELEASED);
                return false;
            }
        }
    }

    private boolean isGranted(ClockedEngine application) {
        try {
            return application.locks().tryAcquire(toWrite.withoutWaiting()).isPresent();
        } catch (LockStoreRecoveringException e) {
            return false;
        }
    }

    private String slotOf(LockHandle reader) {
        return KeySpace.slotOf(lockKey, reader.slot());
    }
}
