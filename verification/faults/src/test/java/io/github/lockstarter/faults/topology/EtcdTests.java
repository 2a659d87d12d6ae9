package io.github.lockstarter.faults.topology;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** How long an etcd lease may last after the end of the workers. */
class EtcdTests {

    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final String WAITER = "lock:waiter:3:key:instance";
    private static final String MESSAGE = "lock:mail:8:instance:1f";

    @Test
    void allowsAWaiterAndItsMessagesSixteenSeconds() {
        assertThat(List.of(List.of(WAITER), List.of(MESSAGE, WAITER), List.of(MESSAGE), List.<String>of()))
                .allSatisfy(keys -> assertThat(Etcd.longest(keys, LEASE)).isEqualTo(16));
    }

    @Test
    void allowsALockNoMoreThanItsLeaseWhateverItsKey() {
        assertThat(List.of(
                        List.of("lock:lock:key"),
                        List.of("lock:lock:key%p1", WAITER, MESSAGE),
                        List.of("lock:lock:waiter:3:key:instance")))
                .allSatisfy(keys -> assertThat(Etcd.longest(keys, LEASE)).isEqualTo(3));
    }
}
