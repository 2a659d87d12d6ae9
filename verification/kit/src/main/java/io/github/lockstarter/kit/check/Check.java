package io.github.lockstarter.kit.check;

import java.util.List;

/** Finds violations of one invariant. Stateless. */
public interface Check {

    /** Returns the violations by time. */
    List<Violation> violations(History history);
}
