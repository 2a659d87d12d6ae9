package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.ArgumentMatchers.anyLong;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Of thousands of containers, whose deletions must neither delay renewals nor wait for long. */
class ContainerCleanerTests {

    private static final long AGE = TimeUnit.SECONDS.toMillis(30);

    private record Task(Runnable work, long delay) {}

    private final ScheduledExecutorService timer = mock();
    private final Queue<Task> scheduled = new ArrayDeque<>();
    private final List<CompletableFuture<?>> deletions = new ArrayList<>();
    private long now = -50; // nanoTime may be negative

    @BeforeEach
    void collectTasks() {
        when(timer.schedule(any(Runnable.class), anyLong(), any())).thenAnswer(call -> {
            TimeUnit unit = call.getArgument(2);
            scheduled.add(new Task(call.getArgument(0), unit.toMillis(call.getArgument(1, Long.class))));
            return null;
        });
    }

    private ContainerCleaner cleaner(Function<String, CompletableFuture<?>> deletion) {
        return new ContainerCleaner(deletion, timer, () -> TimeUnit.MILLISECONDS.toNanos(now));
    }

    private CompletableFuture<?> begin(String path) {
        CompletableFuture<?> deletion = new CompletableFuture<>();
        deletions.add(deletion);
        return deletion;
    }

    private void runNext() {
        Task next = scheduled.remove();
        now += next.delay();
        next.work().run();
    }

    @Test
    void deletesEachContainerAtItsAgeWithOneTaskAtATime() {
        List<String> deleted = new ArrayList<>();
        ContainerCleaner cleaner = cleaner(path -> {
            deleted.add(path + " at " + now);
            return CompletableFuture.completedFuture(null);
        });
        now = 0;
        cleaner.created("/a");
        now = 20_000;
        cleaner.created("/b");
        now = 0;

        assertThat(scheduled).hasSize(1);
        runNext();
        assertThat(scheduled).hasSize(1);
        runNext();

        assertThat(deleted).containsExactly("/a at 30000", "/b at 50000");
        assertThat(scheduled).isEmpty();
    }

    @Test
    void deletesAHundredContainersAtATimeAtMost() {
        ContainerCleaner cleaner = cleaner(this::begin);
        IntStream.rangeClosed(0, 100).forEach(i -> cleaner.created("/" + i));

        runNext();
        runNext();
        assertThat(deletions).hasSize(100);

        deletions.get(7).completeExceptionally(new IllegalStateException("in use"));
        runNext();
        assertThat(deletions).hasSize(101);
    }

    @Test
    void deletesTenThousandContainersWithinTenSecondsIfTheServersAnswer() {
        ContainerCleaner cleaner = cleaner(path -> CompletableFuture.completedFuture(begin(path)));
        IntStream.range(0, 10_000).forEach(i -> cleaner.created("/" + i));
        long begun = now;

        while (!scheduled.isEmpty()) {
            runNext();
        }

        assertThat(deletions).hasSize(10_000);
        assertThat(now - begun).isBetween(AGE, AGE + 10_000);
    }

    @Test
    void leavesContainersToTheServersThatDoNotFit() {
        ContainerCleaner cleaner = cleaner(path -> CompletableFuture.completedFuture(begin(path)));
        IntStream.range(0, 20_001).forEach(i -> cleaner.created("/" + i));

        while (!scheduled.isEmpty()) {
            runNext();
        }

        assertThat(deletions).hasSize(20_000);
    }

    @Test
    void continuesAfterAnErrorOfTheClient() {
        ContainerCleaner cleaner = cleaner(path -> {
            throw new OutOfMemoryError();
        });
        IntStream.range(0, 101).forEach(i -> cleaner.created("/" + i));
        AtomicInteger failed = new AtomicInteger();

        while (!scheduled.isEmpty()) {
            assertThatThrownBy(this::runNext).isInstanceOf(OutOfMemoryError.class);
            failed.incrementAndGet();
        }

        assertThat(failed).hasValue(101);
    }

    @Test
    void leavesContainersToTheServersOnceTheTimerIsClosed() {
        when(timer.schedule(any(Runnable.class), anyLong(), any())).thenThrow(new RejectedExecutionException());

        assertThatCode(() -> cleaner(this::begin).created("/a")).doesNotThrowAnyException();
    }
}
