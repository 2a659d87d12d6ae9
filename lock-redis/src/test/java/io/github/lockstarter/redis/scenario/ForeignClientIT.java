package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.redis.contract.RedisStore;
import io.lettuce.core.SetArgs;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Others on the same server: clients with their own locks, operators, and data that is in the way. */
class ForeignClientIT extends RedisScenario {

    private static final SetArgs NX_PX = SetArgs.Builder.nx().px(60_000);

    private final Application application = newApplication();

    @Test
    void isExcludedByAForeignClientsSetNxPx() {
        warmedUp(application);
        assertThat(redis().set(lockKey, "foreign", NX_PX)).isEqualTo("OK");

        assertThat(application.locks().tryAcquire(request)).isEmpty();
        assertThatThrownBy(() -> application.locks().acquire(request.waitingUpTo(ofMillis(200))))
                .isInstanceOf(LockNotAcquiredException.class)
                .hasMessageContaining(key);

        assertThat(redis().get(lockKey)).isEqualTo("foreign");
        redis().del(lockKey);
        application.locks().acquire(request).close();
    }

    @Test
    void excludesAForeignClientsSetNxPx() {
        try (LockHandle held = application.locks().acquire(request)) {
            assertThat(redis().set(lockKey, "foreign", NX_PX)).isNull();
            assertThat(held.isHeld()).isTrue();
        }
        assertThat(redis().set(lockKey, "foreign", NX_PX)).isEqualTo("OK");
    }

    @Test
    void doesNotRevokeALockForAnOperatorWhoSawAnEarlierHolder() {
        LockHandle before = application.locks().acquire(request);
        before.release();
        assertThat(redis().set(lockKey, "foreign", NX_PX)).isEqualTo("OK");

        assertThat(application.admin().revoke(key, before.fencingToken()).join())
                .isInstanceOf(Revocation.Foreign.class);

        assertThat(redis().get(lockKey)).isEqualTo("foreign");
    }

    @Test
    void waitsForAForeignLockWithoutALease() {
        redis().set(lockKey, "foreign");

        assertThatThrownBy(() -> application.locks().acquire(request.waitingUpTo(ofMillis(300))))
                .isInstanceOf(LockNotAcquiredException.class)
                .hasMessageContaining(key);

        assertThat(redis().get(lockKey)).isEqualTo("foreign");
    }

    @Test
    void theFailureNamesAKeyThatHoldsAnotherType() {
        redis().lpush(lockKey, "not a lock");

        assertThatThrownBy(() -> application.locks().acquire(request.waitingUpTo(ofSeconds(10))))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining(key);

        assertThat(redis().lrange(lockKey, 0, -1)).containsExactly("not a lock");
    }

    @Test
    void theFailureNamesAFencingKeyThatHoldsAnotherType() {
        redis().lpush("lock:fence", "not a number");

        assertThatThrownBy(() -> application.locks().acquire(request))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining(key);

        assertThat(redis().exists(lockKey)).isZero();
    }

    @Test
    void continuesAfterScriptFlush() {
        LockHandle held = application.locks().acquire(request);
        redis().scriptFlush();
        held.extend(LockRequest.of(held.key()).leasedFor(ofSeconds(60)));
        redis().scriptFlush();
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
        redis().scriptFlush();
        application.locks().acquire(request).close();
        assertNothingLeft();
    }

    @Test
    void reportsTheLossAfterFlushall() {
        AtomicInteger losses = new AtomicInteger();
        try (RedisStore store = new RedisStore(server().uri()).with(RedisStore.WITHOUT_GRACE);
                ClockedEngine holder = new ClockedEngine(store.connect(), Application.settings(LONG_LEASE));
                Application next = Application.over(store.connect())) {
            LockHandle held = holder.locks().acquire(request);
            held.onLost(losses::incrementAndGet);

            redis().flushall();
            holder.passUntilTheRenewal(LONG_LEASE);

            holder.passUntil(() -> losses.get() == 1);
            assertThat(holder.events().of(LockEvent.Lost.class))
                    .singleElement()
                    .extracting(LockEvent.Lost::cause)
                    .isNotEqualTo(LockEvent.LossCause.LEASE_EXPIRED);
            assertThat(held.isHeld()).isFalse();
            assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
            assertThat(next.locks().acquire(request).fencingToken()).isGreaterThan(held.fencingToken());
        }
    }

    @Test
    void releaseReportsALossAfterFlushall() {
        LockHandle held = application.locks().acquire(request.withoutRenewal());

        redis().flushall();

        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
    }

    @Test
    void theFailureSaysThatAPasswordIsMissing() {
        server().requirePassword("secret");
        Application without = newApplication();

        assertThatThrownBy(() -> without.locks().acquire(request))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining(key)
                .hasMessageContaining("NOAUTH");
    }

    @Test
    void theFailureSaysThatARightIsMissingAndNothingIsAcquired() {
        server().grantDefaultUser("-evalsha", "-eval");

        assertThatThrownBy(() -> application.locks().acquire(request))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining(key)
                .hasMessageContaining("NOPERM");

        assertThat(redis().exists(lockKey)).isZero();
    }

    @Test
    void neverShowsALockTokenOrAPassword() {
        redis().lpush(lockKey, "not a lock");
        LockHandle other = application.locks().acquire(key + ":other");
        String token = redis().get("lock:{" + key + ":other}");

        assertThatThrownBy(() -> application.locks().acquire(request))
                .extracting(Throwable::toString)
                .asString()
                .doesNotContain(token);
        assertThat(other.toString()).doesNotContain(token);
        assertThat(other.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }
}
