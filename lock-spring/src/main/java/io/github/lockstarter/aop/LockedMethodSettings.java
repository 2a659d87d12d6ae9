package io.github.lockstarter.aop;

import io.github.lockstarter.IfContended;
import io.github.lockstarter.InTransaction;

/** What is configured for the locked methods of a name; applies where their annotation says nothing. */
public interface LockedMethodSettings {

    /**
     * What a call does whose lock stays contended.
     *
     * @param name name of the lock
     * @return the outcome; not {@link IfContended#AS_CONFIGURED}
     */
    IfContended ifContended(String name);

    /**
     * What a call does inside a transaction of its caller.
     *
     * @param name name of the lock
     * @return the behaviour; not {@link InTransaction#AS_CONFIGURED}
     */
    InTransaction inTransaction(String name);
}
