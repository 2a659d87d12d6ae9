package io.github.lockstarter.test;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import java.time.Duration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The application under test. */
@Configuration(proxyBeanMethods = false)
@EnableAutoConfiguration
@Import(OrderApplication.Orders.class)
class OrderApplication {

    static class Orders {

        private final LockOperations locks;

        Orders(LockOperations locks) {
            this.locks = locks;
        }

        @DistributedLock(name = "order", key = "#id", maxWaitMs = 100)
        public long ship(long id) {
            return LockHandle.current().map(LockHandle::fencingToken).orElse(0L);
        }

        public String cancel(long id) {
            LockRequest request = LockRequest.of("order:" + id).maxWait(Duration.ofMillis(100));
            return locks.execute(request, () -> "cancelled " + id);
        }
    }
}
