package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockListener;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import io.github.lockstarter.observe.LockObservabilityAutoConfiguration;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistry;
import io.micrometer.observation.tck.TestObservationRegistryAssert;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** The name of a lock that code acquires by its key alone, as settings, meters, spans and the log show it. */
class LockNameTests {

    private final ApplicationContextRunner application = LockRunner.application(
                    LockObservabilityAutoConfiguration.class)
            .withPropertyValues("distributed-lock.locks.order.lease=25s", "distributed-lock.locks.order.max-wait=0")
            .withBean(Shipping.class)
            .withBean(Names.class);

    static class Shipping {
        @DistributedLock(name = "ship", key = "#id")
        public void ship(long id) {}
    }

    /** The names of the locks that were granted, in their order. */
    static class Names implements LockListener {
        private final Queue<String> seen = new ConcurrentLinkedQueue<>();

        @Override
        public void onEvent(LockEvent event) {
            if (event instanceof LockEvent.Acquired) {
                seen.add(event.name());
            }
        }
    }

    @Test
    void theNameIsThePartOfTheKeyBeforeTheColonIfSettingsExistForIt() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            for (String key : List.of("order:42", "order:express:42", "order")) {
                try (LockHandle handle = locks.acquire(key)) {
                    assertThat(handle.remainingLease()).isBetween(Duration.ZERO, Duration.ofSeconds(25));
                }
            }
        });
    }

    @Test
    void theNameIsThePartOfTheKeyBeforeTheColonIfAnAnnotationHasIt() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            locks.execute("ship:42", () -> {});
            locks.tryExecute("ship:43", () -> {});
            locks.acquireAsync("ship:44").join().close();
            Lock lock = locks.asLock("ship:45");
            lock.lock();
            try {
                assertThat(locks.heldLocks().size()).isOne();
            } finally {
                lock.unlock();
            }
            locks.execute(LockRequest.ofAll(List.of("ship:1", "ship:2")), () -> {});
            Names names = context.getBean(Names.class);
            await().until(() -> names.seen.size() == 6);
            assertThat(names.seen).containsOnly("ship");
        });
    }

    @Test
    void theLockIsUnnamedIfTheNameIsUnknownOrAmbiguous() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            locks.execute("invoice:42", () -> {});
            locks.execute("orders:42", () -> {});
            locks.execute(":order:42", () -> {});
            locks.execute(LockRequest.ofAll(List.of("order:42", "ship:42")), () -> {});
            Names names = context.getBean(Names.class);
            await().until(() -> names.seen.size() == 5);
            assertThat(names.seen).containsOnly("unnamed");
        });
    }

    @Test
    void theNameOfTheRequestComesFirst() {
        application.run(context -> {
            LockOperations locks = context.getBean(LockOperations.class);
            locks.execute(LockRequest.of("order:42").named("nightly"), () -> {});
            Names names = context.getBean(Names.class);
            await().until(() -> !names.seen.isEmpty());
            assertThat(names.seen).containsExactly("nightly");
        });
    }

    @Test
    void theNameIsTheSameInTheLogAndInSpans() {
        application
                .withBean(ObservationRegistry.class, TestObservationRegistry::create)
                .withPropertyValues("distributed-lock.observation.enabled=true", "distributed-lock.log.mdc=true")
                .run(context -> {
                    String name =
                            context.getBean(LockOperations.class).execute("ship:42", () -> MDC.get("lock.held.name"));
                    assertThat(name).isEqualTo("ship");
                    TestObservationRegistryAssert.assertThat(context.getBean(TestObservationRegistry.class))
                            .hasObservationWithNameEqualTo("distributed.lock.acquisition")
                            .that()
                            .hasLowCardinalityKeyValue("lock.name", "ship");
                });
    }
}
