package io.github.lockstarter.autoconfigure;

/** Names of locks that a module acquires by itself, so that no annotation has them. */
public interface LockNames {

    /**
     * {@return whether the module may acquire a lock with this name}
     *
     * @param name lock's name
     */
    boolean contains(String name);
}
