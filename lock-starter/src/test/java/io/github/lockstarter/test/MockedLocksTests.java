package io.github.lockstarter.test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.argThat;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedAction;
import io.github.lockstarter.test.OrderApplication.Orders;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.bean.override.mockito.MockitoBean;
import org.springframework.test.context.bean.override.mockito.MockitoSpyBean;

/** The recipes for Mockito, as users copy them. The annotation keeps the application from connecting to Redis. */
class MockedLocksTests {

    @Nested
    @SpringBootTest(classes = OrderApplication.class, properties = "spring.data.redis.port=9")
    @AutoConfigureTestLocks
    class WithASpy {

        @MockitoSpyBean
        private LockOperations locks;

        @Autowired
        private Orders orders;

        @Test
        void aSpyRecordsLockRequests() {
            assertThat(orders.ship(42)).isPositive();

            verify(locks)
                    .execute(argThat((LockRequest request) -> request.keys().contains("order:42")), anyAction());
        }

        @Test
        void aSpyCanRefuseALock() {
            doThrow(new LockNotAcquiredException("order:42", "busy"))
                    .when(locks)
                    .execute(any(LockRequest.class), anyAction());

            assertThatThrownBy(() -> orders.cancel(42)).isInstanceOf(LockNotAcquiredException.class);
        }
    }

    @Nested
    @SpringBootTest(classes = OrderApplication.class, properties = "spring.data.redis.port=9")
    @AutoConfigureTestLocks
    class WithAMock {

        @MockitoBean
        private LockOperations locks;

        @Autowired
        private Orders orders;

        @BeforeEach
        void runEveryBodyWithoutALock() {
            when(locks.execute(any(LockRequest.class), anyAction()))
                    .thenAnswer(call -> call.<LockedAction<?, ?>>getArgument(1).run());
        }

        @Test
        void annotatedMethodsRunWithAMock() {
            assertThat(orders.ship(42)).isZero(); // without a lock there is no fencing token
        }

        @Test
        void programmaticCallsRunWithAMock() {
            assertThat(orders.cancel(42)).isEqualTo("cancelled 42");
        }
    }

    private static LockedAction<Object, RuntimeException> anyAction() {
        return any();
    }
}
