package io.github.lockstarter.demo.gallery.lock;

/** A lock that breaks its promises. Used by one thread. */
public interface BrokenLock {

    /** Returns whether the caller may consider itself the owner. */
    boolean tryAcquire(String key);

    void release(String key);
}
