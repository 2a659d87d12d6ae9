package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.net.TcpProxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Cost and benefit of a lease with the defaults of an application: how long waiters wait for a killed holder, and which
 * pauses of the holder and outages of Redis its locks survive. Runs only by name, since it takes minutes: {@code
 * -Dit.test=LeaseChoiceRun}. Prints the values.
 */
@Timeout(300)
class LeaseChoiceRun extends RedisScenario {

    private static final int LOCKS = 20;
    private static final Duration TAKE_OVER = EngineSettings.DEFAULTS.crashTakeOver();

    /** Red where the lease decides although a take-over is wanted, or the other way round. */
    @ParameterizedTest
    @CsvSource({"2, 0", "5, 0", "10, 0", "30, 0", "60, 0", "30, 1000"})
    void grantsTheLocksOfAKilledHolderAfterItsLeaseOrTheTakeOverTime(int seconds, long takeOver) throws Exception {
        Duration lease = Duration.ofSeconds(seconds);
        Application heir = warmedUp(newApplication(lease));
        try (ChildJvm holder = holding(server().host(), server().port(), lease, Duration.ofMillis(takeOver))) {
            List<Future<Duration>> waits = new ArrayList<>();
            holder.kill();
            long killed = System.nanoTime();
            for (int i = 0; i < LOCKS; i++) {
                LockRequest next = LockRequest.of(key + i).leasedFor(lease).waitingUpTo(lease.multipliedBy(2));
                waits.add(elsewhere(() -> {
                    LockHandle lock = heir.locks().acquire(next);
                    Duration waited = Duration.ofNanos(System.nanoTime() - killed);
                    lock.close();
                    return waited;
                }));
            }
            List<Long> millis = new ArrayList<>();
            for (Future<Duration> wait : waits) {
                millis.add(wait.get().toMillis());
            }
            millis.sort(null);
            System.out.printf(
                    "lease %ds, take-over %dms: granted %d ms (shortest), %d ms (median), %d ms (longest) after the kill%n",
                    seconds, takeOver, millis.get(0), millis.get(LOCKS / 2), millis.get(LOCKS - 1));
            Duration longest = takeOver == 0 ? lease : Duration.ofMillis(takeOver * 3 / 2);
            assertThat(millis.get(0)).isGreaterThan(takeOver);
            assertThat(millis.get(LOCKS - 1)).isLessThan(longest.plusSeconds(2).toMillis());
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5, 10, 30, 60})
    void keepsItsLocksThroughAPauseOfHalfALease(int seconds) {
        Duration lease = Duration.ofSeconds(seconds);
        try (ChildJvm holder = holding(server().host(), server().port(), lease, TAKE_OVER)) {
            holder.pause();
            letPass(lease.dividedBy(2));
            holder.resume();
            letPass(lease.dividedBy(2));

            System.out.printf("lease %ds: %d of %d kept over a pause of half of it%n", seconds, kept(holder), LOCKS);
            assertThat(kept(holder)).isEqualTo(LOCKS);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 5, 10, 30, 60})
    void keepsItsLocksWhileRedisIsUnreachableForHalfALease(int seconds) {
        Duration lease = Duration.ofSeconds(seconds);
        TcpProxy proxy = newProxy();
        try (ChildJvm holder = holding(proxy.host(), proxy.port(), lease, TAKE_OVER)) {
            proxy.refuse();
            proxy.cut();
            letPass(lease.dividedBy(2));
            proxy.accept();
            letPass(lease.dividedBy(2));

            System.out.printf("lease %ds: %d of %d kept over an outage of half of it%n", seconds, kept(holder), LOCKS);
            assertThat(kept(holder)).isEqualTo(LOCKS);
        }
    }

    private static int kept(ChildJvm holder) {
        return LOCKS
                - (int) holder.lines().stream()
                        .filter(line -> line.startsWith("lost "))
                        .count();
    }

    private ChildJvm holding(String host, int port, Duration lease, Duration takeOver) {
        ChildJvm holder = ChildJvm.start(
                StaggeredHolderJvm.class,
                host,
                Integer.toString(port),
                key,
                Integer.toString(LOCKS),
                Long.toString(lease.toMillis()),
                Long.toString(takeOver.toMillis()));
        holder.awaitLine("holding"::equals, Patience.TIME);
        return holder;
    }
}
