package io.github.lockstarter.demo.gallery.lock;

/** A lock that does not keep what it promises. For one thread. */
public interface BrokenLock {

    /**
     * One attempt.
     *
     * @param key what to lock
     * @return whether the caller may believe that it is the owner
     */
    boolean tryAcquire(String key);

    /**
     * Gives it up, after {@link #tryAcquire} was true.
     *
     * @param key what was locked
     */
    void release(String key);
}
