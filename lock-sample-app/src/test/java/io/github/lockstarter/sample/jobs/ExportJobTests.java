package io.github.lockstarter.sample.jobs;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyString;
import static org.mockito.ArgumentMatchers.eq;
import static org.mockito.Mockito.doThrow;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.LockTicket;
import io.github.lockstarter.LockedTask;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.data.redis.RedisConnectionFailureException;
import org.springframework.data.redis.core.ListOperations;
import org.springframework.data.redis.core.StringRedisTemplate;

@SuppressWarnings("unchecked")
class ExportJobTests {

    private static final LockTicket TICKET =
            new LockTicket("unnamed", "export", "0123456789abcdef0123456789abcdef:7", 42);

    private final LockOperations locks = mock();
    private final ListOperations<String, String> queue = mock();
    private final StringRedisTemplate redis = mock();
    private final ExportJob job =
            new ExportJob(locks, redis, new JobProperties(Duration.ZERO, Duration.ZERO, Duration.ZERO));

    @BeforeEach
    void useTheQueue() {
        when(redis.opsForList()).thenReturn(queue);
    }

    @Test
    void freesTheLockOfAnExportThatCannotBeQueued() {
        LockHandle lock = mock();
        when(locks.acquire(any(LockRequest.class))).thenReturn(lock);
        when(lock.detach(any())).thenReturn(TICKET);
        when(queue.leftPush(anyString(), anyString())).thenThrow(new RedisConnectionFailureException("no answer"));

        assertThatThrownBy(job::request).isInstanceOf(RedisConnectionFailureException.class);

        verify(locks).release(TICKET);
    }

    @Test
    void queuesAnExportAgainWhileItsLockCannotBeAttached() {
        when(queue.rightPop(anyString())).thenReturn(TICKET.text());
        doThrow(new LockStoreRecoveringException("export", "restarted", Duration.ofSeconds(9)))
                .when(locks)
                .execute(any(LockRequest.class), any(LockedTask.class));

        job.work();

        verify(queue).rightPush(anyString(), eq(TICKET.text()));
    }
}
