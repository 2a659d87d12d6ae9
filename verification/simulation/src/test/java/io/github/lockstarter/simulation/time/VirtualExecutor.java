package io.github.lockstarter.simulation.time;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Threads of a process that run one task after the other, each a while after it was given. */
public final class VirtualExecutor extends AbstractExecutorService {

    private final VirtualTime time;
    private final Process process;
    private final LongSupplier delays;
    private long freeAt;

    /**
     * An executor of one thread, which never has to wait for an end.
     *
     * @param time when tasks run
     * @param process whose threads they are
     * @param delays gives the nanoseconds until the next task runs, at least
     */
    public VirtualExecutor(VirtualTime time, Process process, LongSupplier delays) {
        this.time = time;
        this.process = process;
        this.delays = delays;
    }

    @Override
    public void execute(Runnable task) {
        freeAt = Math.max(freeAt, time.nanos() + delays.getAsLong());
        time.at(freeAt, process, task);
    }

    /** The thread is busy with the current task: later tasks wait for this long. */
    public void block(long nanos) {
        freeAt = Math.max(freeAt, time.nanos() + nanos);
    }

    /** Still runs the tasks that it has, and later ones. */
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
