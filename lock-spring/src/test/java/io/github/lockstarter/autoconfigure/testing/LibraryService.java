package io.github.lockstarter.autoconfigure.testing;

import io.github.lockstarter.DistributedLock;

/** A class of another package than the bean that extends it. */
public class LibraryService {

    /** Callers of this package alone see it. */
    @DistributedLock(name = "library")
    void work() {}
}
