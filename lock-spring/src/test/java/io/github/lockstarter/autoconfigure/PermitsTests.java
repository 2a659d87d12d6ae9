package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.autoconfigure.testing.LockRunner;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Methods whose lock has several permits. */
class PermitsTests {

    private final ApplicationContextRunner application = LockRunner.application();

    static class Partner {

        @DistributedLock(name = "partner-api", permits = 3)
        public void call(Set<Integer> slots, CountDownLatch done) throws InterruptedException {
            slots.add(LockHandle.current().orElseThrow().slot());
            done.await();
        }

        @DistributedLock(name = "partner-api", permits = 3, maxWaitMs = 0, ifContended = IfContended.SKIP)
        public CompletableFuture<String> callUnlessBusy() {
            return CompletableFuture.completedFuture("called");
        }
    }

    @Test
    void runsAsManyConcurrentCallsAsPermits() {
        application.withBean(Partner.class).run(context -> {
            Partner partner = context.getBean(Partner.class);
            LockOperations locks = context.getBean(LockOperations.class);
            Set<Integer> slots = new ConcurrentSkipListSet<>();
            CountDownLatch done = new CountDownLatch(1);
            List<CompletableFuture<Void>> calls = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                calls.add(
                        CompletableFuture.runAsync(() -> call(partner, slots, done), task -> new Thread(task).start()));
            }
            await().untilAsserted(() -> assertThat(slots).containsExactly(0, 1, 2));

            assertThat(partner.callUnlessBusy().join()).isNull();
            assertThatThrownBy(() -> locks.acquire(
                            LockRequest.of("partner-api").permits(3).withoutWaiting()))
                    .isInstanceOf(LockNotAcquiredException.class);
            done.countDown();
            calls.forEach(CompletableFuture::join);
            assertThat(partner.callUnlessBusy().join()).isEqualTo("called");
        });
    }

    private static void call(Partner partner, Set<Integer> slots, CountDownLatch done) {
        try {
            partner.call(slots, done);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static class Importer {
        @DistributedLock(name = "import", key = "#tenant", maxWaitMs = 0)
        public int run(String tenant) {
            return LockHandle.current().orElseThrow().slot();
        }
    }

    @Test
    void usesTheLimitOfTheNameByDefault() {
        application
                .withBean(Importer.class)
                .withPropertyValues("distributed-lock.locks.import.permits=2")
                .run(context -> {
                    LockOperations locks = context.getBean(LockOperations.class);
                    LockRequest request =
                            LockRequest.of("import:acme").named("import").ownedByHandle();
                    LockHandle first = locks.acquire(request);

                    assertThat(context.getBean(Importer.class).run("acme")).isEqualTo(1);
                    LockHandle second = locks.acquire(request);
                    assertThat(second.slot()).isEqualTo(1);
                    assertThatThrownBy(() -> context.getBean(Importer.class).run("acme"))
                            .isInstanceOf(LockNotAcquiredException.class);
                    assertThat(context.getBean(Importer.class).run("other")).isZero();
                    first.release();
                    second.release();
                });
    }

    static class Other {
        @DistributedLock(name = "partner-api", permits = 5)
        public void call() {}
    }

    @Test
    void usesOneLimitPerName() {
        application.withBean(Partner.class).withBean(Other.class).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContainingAll("Lock 'partner-api' has", "permits at", "at another method"));
    }

    static class Elsewhere {
        @DistributedLock(name = "partner-api", locks = "acmeLocks")
        public void call() {}
    }

    /** Equal names in two stores are two locks. */
    @Test
    void usesOneLimitPerStore() {
        LockRunner.application(AcmeLockAutoConfiguration.class)
                .withPropertyValues("distributed-lock.further-backends=acme")
                .withBean(Partner.class)
                .withBean(Elsewhere.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class SeveralKeys {
        @DistributedLock(
                name = "transfer",
                key = {"#from", "#to"},
                permits = 2)
        public void transfer(long from, long to) {}
    }

    static class TooMany {
        @DistributedLock(name = "many", permits = 1025)
        public void call() {}
    }

    @Test
    void startFailsForAnInvalidLimit() {
        application.withBean(TooMany.class).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("permits of lock 'many' is 1025; it must be between 1 and 1024."));
        application.withBean(SeveralKeys.class).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContainingAll("transfer(", "2 permits and 2 keys"));
    }

    static class Transfer {
        @DistributedLock(
                name = "account",
                key = {"#from", "#to"})
        public void transfer(long from, long to) {}
    }

    @Test
    void refusesConfiguredPermitsForSeveralKeys() {
        application
                .withPropertyValues("distributed-lock.locks.account.permits=2")
                .run(context -> {
                    LockOperations locks = context.getBean(LockOperations.class);
                    assertThatThrownBy(() -> locks.acquire(LockRequest.ofAll(List.of("account:1", "account:2"))))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageStartingWith("Lock 'account:1, account:2' has 2 permits and 2 keys.");
                });
        FailureReport.assertThat(application
                        .withPropertyValues("distributed-lock.locks.account.permits=2")
                        .withBean("bean", Transfer.class))
                .isEqualTo("Bean 'bean': @DistributedLock on PermitsTests.Transfer.transfer(long, long) cannot "
                        + "take effect: Lock 'account' has 2 permits and 2 keys.\n\nOnly a lock with one key "
                        + "can have more than one permit: leave permits out, or lock one key.");
    }
}
