package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.lettuce.core.SetArgs;
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
        assertThatThrownBy(() -> application.locks().acquire(request.maxWait(ofMillis(200))))
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
            held.ensureHeld();
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
