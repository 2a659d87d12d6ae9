package io.github.lockstarter.simulation.time;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;

/** Runs tasks of a process at their time. */
public final class VirtualScheduler extends AbstractExecutorService implements ScheduledExecutorService {

    private final VirtualTime time;
    private final Process process;

    /**
     * A scheduler without tasks, which never has to wait for an end.
     *
     * @param time when tasks run
     * @param process whose tasks they are
     */
    public VirtualScheduler(VirtualTime time, Process process) {
        this.time = time;
        this.process = process;
    }

    private final class Task<T> extends FutureTask<T> implements ScheduledFuture<T> {

        private final long at;

        Task(Callable<T> work, long at) {
            super(work);
            this.at = at;
        }

        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(at - time.nanos(), TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }

    @Override
    public <V> ScheduledFuture<V> schedule(Callable<V> work, long delay, TimeUnit unit) {
        Task<V> task = new Task<>(work, time.nanos() + unit.toNanos(delay));
        time.at(task.at, process, task);
        return task;
    }

    @Override
    public ScheduledFuture<?> schedule(Runnable work, long delay, TimeUnit unit) {
        return schedule(
                () -> {
                    work.run();
                    return null;
                },
                delay,
                unit);
    }

    @Override
    public ScheduledFuture<?> scheduleAtFixedRate(Runnable work, long first, long period, TimeUnit unit) {
        throw new UnsupportedOperationException("Nothing does that");
    }

    @Override
    public ScheduledFuture<?> scheduleWithFixedDelay(Runnable work, long first, long delay, TimeUnit unit) {
        throw new UnsupportedOperationException("Nothing does that");
    }

    @Override
    public void execute(Runnable task) {
        time.in(0, process, task);
    }

    @Override
    public void shutdown() {}

    @Override
    public List<Runnable> shutdownNow() {
        return List.of();
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public boolean isTerminated() {
        return false;
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) {
        return false;
    }
}
