package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.lettuce.core.KillArgs;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The cost of crash take-over with many held locks or many waiters. */
@Timeout(300)
class CrowdedTakeOverRun extends RedisScenario {

    private static final int HELD = 10_000;
    private static final int WAITED_FOR = 2_000;
    private static final Duration SHORT = ofMillis(200);
    private static final Duration MEASURED = ofSeconds(15);

    @Test
    void confirmsAllOfManyHoldsWhenTheMailboxBreaks() {
        Application holder =
                warmedUp(newApplication(Application.settings(LONG_LEASE).withCrashTakeOver(SHORT)));
        Application rival = warmedUp(newApplication());
        holder.awaitTakeOver();
        List<LockHandle> held = acquire(holder, HELD);
        CompletableFuture<LockHandle> waiting = rival.locks().acquireAsync(wanted(0));
        letPass(ofSeconds(2));
        assertThat(held).as("before").allMatch(LockHandle::isHeld);

        redis().clientKill(KillArgs.Builder.typePubsub());
        long broken = System.nanoTime();
        long lastDoubt = broken;
        long most = 0;
        while (System.nanoTime() - broken < ofSeconds(5).toNanos()) {
            long doubtful = held.stream().filter(each -> !each.isHeld()).count();
            lastDoubt = doubtful > 0 ? System.nanoTime() : lastDoubt;
            most = Math.max(most, doubtful);
        }

        Duration doubted = Duration.ofNanos(lastDoubt - broken);
        System.out.printf(
                "%,d holds: at most %,d in doubt, the last one %d ms after the break%n",
                HELD, most, doubted.toMillis());
        assertThat(doubted).isLessThan(ofSeconds(1));
        assertThat(holder.events().of(LockEvent.Lost.class)).isEmpty();
        waiting.cancel(true);
        held.forEach(LockHandle::closeAsync);
    }

    @Test
    void manyAwaitedKeysCostRedisLittle() throws Exception {
        Application holder = warmedUp(newApplication(EngineSettings.DEFAULTS));
        Application rival = warmedUp(newApplication(EngineSettings.DEFAULTS));
        holder.awaitTakeOver();
        rival.awaitTakeOver();
        List<LockHandle> held = acquire(holder, WAITED_FOR);
        double idle = scriptsOfRedis();
        List<CompletableFuture<LockHandle>> waiting = new ArrayList<>();
        for (int i = 0; i < WAITED_FOR; i++) {
            waiting.add(rival.locks().acquireAsync(wanted(i)));
        }
        letPass(ofSeconds(10)); // until the waiters look as seldom as they do
        double busy = scriptsOfRedis();

        System.out.printf("%,d keys waited for: %.1f scripts a second, %.1f without waiters%n", WAITED_FOR, busy, idle);
        assertThat(busy - idle).as("one attempt for each key in 7 s").isLessThan(WAITED_FOR / 4.0);
        held.forEach(LockHandle::closeAsync);
        CompletableFuture.allOf(waiting.toArray(CompletableFuture[]::new)).get(Patience.SECONDS, TimeUnit.SECONDS);
        waiting.forEach(each -> each.join().closeAsync());
    }

    private List<LockHandle> acquire(Application holder, int count) {
        List<LockHandle> held = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            held.add(holder.locks().acquire(wanted(i)));
        }
        return held;
    }

    private LockRequest wanted(int number) {
        return LockRequest.of(key + ':' + number).waitingUpTo(ofMinutes(2));
    }

    /** Per second. Not processor time, which depends on other load of the machine. */
    private static double scriptsOfRedis() {
        redis().configResetstat();
        letPass(MEASURED);
        return scriptCalls() / (double) MEASURED.toSeconds();
    }
}
