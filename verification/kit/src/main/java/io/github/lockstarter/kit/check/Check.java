package io.github.lockstarter.kit.check;

import java.util.List;

/** Looks for violations of one invariant. Stateless. */
public interface Check {

    /**
     * Looks.
     *
     * @param history of one session
     * @return what was found, by time; empty if the invariant held
     */
    List<Violation> violations(History history);
}
