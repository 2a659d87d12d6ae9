package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTicket;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Detached locks of processes that are killed, and of commands without an answer. */
class TicketIT extends RedisScenario {

    private static final Duration TAKEOVER =
            EngineSettings.DEFAULTS.terms().crashTakeover().orElseThrow();

    private final LockRequest patient = request.maxWait(Patience.TIME);

    @Test
    void theTicketOutlivesTheProcessThatDetachedAndItsLockIsNotTakenOver() throws Exception {
        Application heir = takingPart(newApplication());
        Application worker = takingPart(newApplication());
        try (ChildJvm detaching = TicketJvm.detaching(server(), TAKEOVER, key, LONG_LEASE)) {
            LockTicket ticket = TicketJvm.ticketOf(detaching);
            Future<LockHandle> next = elsewhere(() -> heir.locks().acquire(patient));
            awaitWaiting();

            detaching.kill();
            letPass(TAKEOVER.multipliedBy(3)); // in which it would be taken over, see CrashTakeoverIT
            assertThat(next).isNotDone();

            LockHandle held = worker.locks().attach(ticket);
            assertThat(held.fencingToken()).isGreaterThan(ticket.fencingToken());
            assertThat(next).isNotDone();
            held.close();
            resultOf(next).close();
        }
        assertNothingLeft();
    }

    @Test
    @Tag(Effort.FULL)
    void theLockOfAProcessThatAttachedItIsTakenOver() throws Exception {
        Application first = takingPart(newApplication());
        Application heir = takingPart(newApplication());
        LockTicket ticket = first.locks().acquire(request).detach();
        try (ChildJvm attaching = TicketJvm.attaching(server(), TAKEOVER, ticket)) {
            long fencingToken = TicketJvm.fencingTokenOf(attaching);
            Future<LockHandle> next = elsewhere(() -> heir.locks().acquire(patient));
            awaitWaiting();

            attaching.kill();

            LockHandle taken = resultOf(next);
            assertThat(heir.events().of(LockEvent.Acquired.class).get(1).path()).isEqualTo(Path.TAKEN_OVER);
            assertThat(taken.fencingToken()).isGreaterThan(fencingToken);
            assertThatThrownBy(() -> first.locks().attach(ticket)).isInstanceOf(LockLostException.class);
            taken.close();
        }
    }

    @Test
    @Tag(Effort.FULL)
    void aTicketThatNobodyUsesEndsWithItsLease() throws Exception {
        Application heir = takingPart(newApplication());
        Duration lease = Duration.ofSeconds(1);
        try (ChildJvm detaching = TicketJvm.detaching(server(), TAKEOVER, key, lease)) {
            LockTicket ticket = TicketJvm.ticketOf(detaching);
            detaching.kill();

            LockHandle next = heir.locks().acquire(patient);

            assertThatThrownBy(() -> heir.locks().attach(ticket)).isInstanceOf(LockLostException.class);
            next.ensureHeld();
            next.close();
        }
    }

    @Test
    void aDetachWithoutAnAnswerLeavesNothing() throws Exception {
        TcpProxy proxy = newProxy();
        EngineSettings neverInDoubt = Application.settings(LONG_LEASE).withCrashTakeover(Duration.ZERO);
        Application application =
                warmedUp(newApplication(RedisStore.behind(proxy).with(RedisStore.HASTY), neverInDoubt));
        LockHandle held = acquired(application, request);
        proxy.stallReplies();

        Future<?> detaching = elsewhere(() -> assertThatThrownBy(held::detach)
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("there is no ticket"));
        await().untilAsserted(() -> assertThat(redis().get(lockKey)).contains("(detached)"));
        resultOf(detaching);
        proxy.flow();

        assertNothingLeft();
    }

    @Test
    void anAttachWithoutAnAnswerLeavesNothing() throws Exception {
        TcpProxy proxy = newProxy();
        Application first = newApplication();
        Application second = warmedUp(newHastyApplicationBehind(proxy));
        LockTicket ticket = first.locks().acquire(request).detach();
        proxy.stallReplies();

        Future<?> attaching = elsewhere(
                () -> assertThatThrownBy(() -> second.locks().attach(ticket)).isInstanceOf(LockBackendException.class));
        await().untilAsserted(() -> assertThat(redis().get(lockKey)).doesNotContain("(detached)"));
        resultOf(attaching);
        proxy.flow();

        assertNothingLeft();
        assertThatThrownBy(() -> first.locks().attach(ticket)).isInstanceOf(LockLostException.class);
    }

    /** The client sends the command again after the reconnect. */
    @Test
    void anAttachWhoseReplyIsDroppedIsRepeatedWithTheSameGrant() throws Exception {
        TcpProxy proxy = newProxy();
        Application first = newApplication();
        Application second = warmedUp(newApplicationBehind(proxy));
        LockTicket ticket = first.locks().acquire(request).detach();
        CompletableFuture<String> dropped = proxy.dropReplyTo(command -> command.contains(ticket.token()));

        LockHandle held = second.locks().attach(ticket);

        assertThat(dropped).isCompleted();
        assertThat(redis().get("lock:fence")).as("the last grant").isEqualTo(Long.toString(held.fencingToken()));
        held.close();
        assertNothingLeft();
    }
}
