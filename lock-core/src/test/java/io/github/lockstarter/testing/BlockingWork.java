package io.github.lockstarter.testing;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** Work that ends when its thread is interrupted, and otherwise after an hour or never. */
public enum BlockingWork {
    SLEEPING(InterruptedException.class) {
        @Override
        public void run() throws InterruptedException {
            TimeUnit.HOURS.sleep(1); // the wrong outcome
        }
    },
    READING(InterruptedIOException.class) {
        @Override
        public void run() throws IOException {
            try (PipedOutputStream silent = new PipedOutputStream();
                    PipedInputStream input = new PipedInputStream(silent)) {
                input.read();
            }
        }
    },
    SPINNING {
        @Override
        public void run() {
            while (!Thread.currentThread().isInterrupted()) {
                Thread.onSpinWait();
            }
        }
    };

    private final Optional<Class<? extends Exception>> thrown;

    BlockingWork() {
        this.thrown = Optional.empty();
    }

    BlockingWork(Class<? extends Exception> thrown) {
        this.thrown = Optional.of(thrown);
    }

    public abstract void run() throws IOException, InterruptedException;

    /** What an interrupt makes of it; empty if it returns. */
    public Optional<Class<? extends Exception>> thrown() {
        return thrown;
    }
}
