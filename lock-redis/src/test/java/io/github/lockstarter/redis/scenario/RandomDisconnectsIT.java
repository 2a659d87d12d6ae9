package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.testing.Effort;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Connections break repeatedly under load, in every way other than a crash. Takes some seconds, unless {@code
 * -Dlock.test.storm-seconds} sets the number; prints the seed.
 */
@Timeout(value = 15, unit = TimeUnit.MINUTES)
@Tag(Effort.FULL)
class RandomDisconnectsIT extends RedisScenario {

    private static final Duration STORM = ofSeconds(Integer.getInteger("lock.test.storm-seconds", Effort.of(4, 6)));
    private static final Duration LONGEST = STORM.plusSeconds(60);
    private static final Duration CALM = ofSeconds(4);
    private static final int APPLICATIONS = 3;
    private static final int KEYS = 4;

    /** How long a section lasts at most, in milliseconds. */
    private static final int LONGEST_SECTION = 5_000;

    private final Random random = seeded("the storm");
    private final List<TcpProxy> proxies = new ArrayList<>();
    private final List<Application> applications = new ArrayList<>();
    private final Set<LockHandle> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger sections = new AtomicInteger();
    private final AtomicInteger overlaps = new AtomicInteger();
    private volatile boolean ended;

    /**
     * There are never two certain holders; an instance that is disconnected for less than the takeover time loses no
     * lock.
     */
    @Test
    void hasAtMostOneCertainHolderAndLosesNoLockWithoutNeed() throws Exception {
        storm(LockHandle::isHeld, this::shortFault, () -> true);

        assertThat(overlaps).hasValue(0);
        assertThat(applications).allSatisfy(each -> assertThat(each.events().of(LockEvent.Lost.class))
                .isEmpty());
    }

    @Test
    @Tag(Effort.FULL)
    void hasAtMostOneCertainHolderWhileInstancesAreDisconnected() throws Exception {
        storm(LockHandle::isHeld, this::cutOff, () -> takenOver() > 0);

        assertThat(overlaps).hasValue(0);
        assertThat(takenOver()).as("locks that were taken over").isPositive();
    }

    /** The control: by its lease alone, a holder that is cut off still has the lock that was taken over. */
    @Test
    @Tag(Effort.FULL)
    void findsTwoHoldersWhenDoubtIsIgnored() throws Exception {
        storm(handle -> handle.state().compareTo(HoldState.LOST) < 0, this::cutOff, () -> overlaps.get() > 0);

        assertThat(overlaps).hasPositiveValue();
    }

    private long takenOver() {
        return applications.stream()
                .flatMap(each -> each.events().of(LockEvent.Acquired.class).stream())
                .filter(event -> event.path() == LockEvent.Path.TAKEN_OVER)
                .count();
    }

    /** Lasts longer as long as it has not shown enough, and ends with the first overlap. */
    private void storm(Predicate<LockHandle> isHeld, Runnable fault, BooleanSupplier isEnough) throws Exception {
        List<Future<?>> work = new ArrayList<>();
        for (int i = 0; i < APPLICATIONS; i++) {
            TcpProxy proxy = newProxy();
            Application application = warmedUp(newApplicationBehind(proxy));
            proxies.add(proxy);
            applications.add(application);
            for (int each = 0; each < KEYS; each++) {
                LockRequest wanted = LockRequest.of(key + ':' + each).maxWait(ofMillis(700));
                long seed = random.nextLong();
                work.add(elsewhere(() -> {
                    work(application, wanted, new Random(seed), isHeld);
                    return null;
                }));
            }
        }
        long began = System.nanoTime();
        while (overlaps.get() == 0
                && System.nanoTime() - began < (isEnough.getAsBoolean() ? STORM : LONGEST).toNanos()) {
            letPass(ofMillis(random.nextInt(400)));
            fault.run();
        }
        letPass(CALM);
        ended = true;
        for (Future<?> each : work) {
            resultOf(each);
        }
        System.out.printf(
                "%d sections, %d overlaps, %d taken over, in doubt and confirmed %d%n",
                sections.get(),
                overlaps.get(),
                takenOver(),
                applications.stream()
                        .mapToInt(each ->
                                each.events().of(LockEvent.Confirmed.class).size())
                        .sum());
    }

    private void work(Application application, LockRequest wanted, Random lengths, Predicate<LockHandle> isHeld) {
        while (!ended) {
            try (LockHandle mine = application.locks().acquire(wanted)) {
                if (open.stream().anyMatch(other -> other.key().equals(mine.key()) && isHeld.test(other))) {
                    overlaps.incrementAndGet();
                }
                open.add(mine);
                sections.incrementAndGet();
                letPassOrEnd(lengths.nextInt(LONGEST_SECTION));
                open.remove(mine);
            } catch (LockException expected) {
                // busy, an outage, or a loss
            }
        }
    }

    private void letPassOrEnd(int millis) {
        long until = System.nanoTime() + ofMillis(millis).toNanos();
        while (!ended && System.nanoTime() - until < 0) {
            LockSupport.parkNanos(5_000_000);
        }
    }

    private void shortFault() {
        TcpProxy proxy = proxies.get(random.nextInt(APPLICATIONS));
        switch (random.nextInt(8)) {
            case 0 -> redis().clientKill(KillArgs.Builder.typePubsub());
            case 1 -> redis().clientKill(KillArgs.Builder.typeNormal());
            case 2 -> proxy.cut();
            case 3 -> {
                proxy.stallReplies();
                letPass(ofMillis(random.nextInt(600)));
                proxy.flow();
            }
            case 4 -> {
                proxy.stallRequests();
                letPass(ofMillis(random.nextInt(600)));
                proxy.flow();
            }
            case 5 -> refuseConnections(KillArgs.Builder.typeNormal());
            case 6 -> overflowMailboxes();
            default -> {
                server().pause();
                letPass(ofMillis(random.nextInt(1_800)));
                server().resume();
            }
        }
    }

    /** No client may connect for a while, and the connections break. */
    private void refuseConnections(KillArgs connections) {
        redis().configSet("maxclients", "1");
        redis().clientKill(connections);
        letPass(ofMillis(random.nextInt(600)));
        redis().configSet("maxclients", "10000");
    }

    /** The server closes the connections of the mailboxes because its output buffers overflow. */
    private void overflowMailboxes() {
        redis().configSet("client-output-buffer-limit", "pubsub 1 1 1");
        redis().pubsubChannels("lock:mailbox:*").forEach(mailbox -> redis().publish(mailbox, "x".repeat(100_000)));
        letPass(ofMillis(random.nextInt(200)));
        redis().configSet("client-output-buffer-limit", "pubsub 33554432 8388608 60");
    }

    private void cutOff() {
        TcpProxy proxy = proxies.get(random.nextInt(APPLICATIONS));
        proxy.refuse();
        proxy.cut();
        letPass(ofMillis(1_500 + random.nextInt(2_500)));
        proxy.accept();
        letPass(ofMillis(random.nextInt(1_500)));
    }
}
