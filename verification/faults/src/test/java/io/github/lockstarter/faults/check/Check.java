package io.github.lockstarter.faults.check;

import java.util.List;

/** Looks for violations of one invariant. Stateless. */
public interface Check {

    /** All checks. */
    List<Check> ALL = List.of(
            new ExclusionCheck(),
            new FencingOrderCheck(),
            new FencedWritesCheck(),
            new OwnershipCheck(),
            new WaitCheck(),
            new ProgressCheck(),
            new TakeOverCheck(),
            new LossCheck(),
            new WakeUpCheck(),
            new RenewalOrderCheck(),
            new HandOverCheck(),
            new AnomalyCheck());

    /**
     * Looks.
     *
     * @param history of one session
     * @return what was found, by time; empty if the invariant held
     */
    List<Violation> violations(History history);
}
