package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.spi.LockBackend;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.context.LifecycleAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.SmartLifecycle;

class LockEngineLifecycleTests {

    private final LocalLockBackend store = new LocalLockBackend();

    /** Its backend outlives it: another instance of the application may look into it. */
    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(LifecycleAutoConfiguration.class, DistributedLockAutoConfiguration.class))
            .withBean(LockBackend.class, () -> store, definition -> definition.setDestroyMethodName(""))
            .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=100ms");

    @Test
    void grantsNoLockAfterTheContextIsClosed() {
        List<LockOperations> locks = new ArrayList<>();
        application.run(context -> locks.add(context.getBean(LockOperations.class)));
        assertThatThrownBy(() -> locks.get(0).acquire("order:1"))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("shut down");
    }

    @Test
    void locksAgainAfterTheContextWasStoppedAndStarted() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            LockHandle before = locks.acquire(LockRequest.of("order:1").ownedByHandle());
            context.stop();
            assertThat(before.isHeld()).isTrue();
            assertThatThrownBy(() -> locks.acquire("order:2")).isInstanceOf(LockBackendException.class);
            before.release();
            context.start();
            try (LockHandle after = locks.acquire("order:1")) {
                assertThat(after.fencingToken()).isGreaterThan(before.fencingToken());
                assertThat(locks.heldLocks().size()).isOne();
            }
        });
    }

    @Test
    void isAnotherInstanceAfterTheContextWasStoppedAndStarted() {
        application.run(context -> {
            LockAdmin admin = context.getBean(LockAdmin.class);
            String before = admin.instance();

            context.stop();
            context.start();

            assertThat(admin.instance()).isNotEqualTo(before);
        });
    }

    private record HeldAtStop(List<Boolean> answers) {}

    /** Works under a lock from its start to its stop, as a scheduler or a listener container does. */
    static final class Worker implements SmartLifecycle {
        private final LockOperations locks;
        private final HeldAtStop heldAtStop;
        private LockHandle handle;

        Worker(LockOperations locks, HeldAtStop heldAtStop) {
            this.locks = locks;
            this.heldAtStop = heldAtStop;
        }

        @Override
        public void start() {
            handle = locks.acquire("worker");
        }

        @Override
        public void stop() {
            heldAtStop.answers().add(handle.isHeld());
            handle.release();
            handle = null;
        }

        @Override
        public boolean isRunning() {
            return handle != null;
        }

        /** The lowest phase of beans that may use locks while they stop. */
        @Override
        public int getPhase() {
            return LockEngineLifecycle.PHASE + 1;
        }
    }

    @Test
    void grantsLocksUntilAllBeansThatUseThemHaveStopped() {
        HeldAtStop heldAtStop = new HeldAtStop(new ArrayList<>());
        application
                .withBean(HeldAtStop.class, () -> heldAtStop)
                .withBean(Worker.class)
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(heldAtStop.answers()).containsExactly(true);
    }

    static final class EarlyUser implements InitializingBean {
        private final LockOperations locks;

        EarlyUser(LockOperations locks) {
            this.locks = locks;
        }

        @Override
        public void afterPropertiesSet() {
            locks.execute(
                    "migration", () -> assertThat(locks.heldLocks().size()).isOne());
        }
    }

    @Test
    void grantsLocksToInitialisationCallbacks() {
        application.withBean(EarlyUser.class).run(context -> assertThat(context).hasNotFailed());
    }
}
