package io.github.lockstarter.testing;

import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** Lets threads pass while it is open. */
public final class Gate {

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition opened = lock.newCondition();
    private boolean shut;

    public void shut() {
        lock.lock();
        try {
            shut = true;
        } finally {
            lock.unlock();
        }
    }

    public void open() {
        lock.lock();
        try {
            shut = false;
            opened.signalAll();
        } finally {
            lock.unlock();
        }
    }

    public void pass() {
        lock.lock();
        try {
            while (shut) {
                opened.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
    }
}
