package io.github.lockstarter.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockSource;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.actuate.endpoint.OperationType;
import org.springframework.boot.actuate.endpoint.invoke.reflect.OperationMethod;

class LocksEndpointTests {

    private final LockSource source = mock();
    private final HeldLocks held = mock();
    private final LocksEndpoint endpoint = new LocksEndpoint(source);

    @BeforeEach
    void holdLocks() {
        given(source.heldLocks()).willReturn(held);
        given(held.snapshot()).willReturn(List.of(lock("order:7", "http-1"), lock("order:42", HeldLock.ASYNC)));
    }

    @Test
    void listsTheHeldLocksSortedByKey() {
        LocksEndpoint.Locks answer = endpoint.heldLocks(null);

        assertThat(answer.count()).isEqualTo(2);
        assertThat(answer.locks()).extracting(LocksEndpoint.Lock::key).containsExactly("order:42", "order:7");
    }

    @Test
    void showsWhatIsKnownOfALock() {
        assertThat(endpoint.heldLocks("order:7").locks())
                .containsExactly(new LocksEndpoint.Lock("order:7", "ship-order", 17, "http-1", 1_500, 8_500, 2, 3));
    }

    @Test
    void findsTheLockOfOneKeyOnly() {
        assertThat(endpoint.heldLocks("order:42").locks())
                .extracting(LocksEndpoint.Lock::owner)
                .containsExactly(HeldLock.ASYNC);
        assertThat(endpoint.heldLocks("order:4")).isEqualTo(new LocksEndpoint.Locks(0, List.of()));
    }

    @Test
    void theKeyIsOptional() throws NoSuchMethodException {
        OperationMethod operation =
                new OperationMethod(LocksEndpoint.class.getMethod("heldLocks", String.class), OperationType.READ);

        assertThat(operation.getParameters())
                .singleElement()
                .satisfies(key -> assertThat(key.getName()).isEqualTo("key"))
                .satisfies(key -> assertThat(key.isMandatory()).isFalse());
    }

    private static HeldLock lock(String key, String owner) {
        Duration heldFor = Duration.ofMillis(1_500);
        return new HeldLock("ship-order", key, 17, owner, heldFor, Duration.ofMillis(8_500), 2, 3);
    }
}
