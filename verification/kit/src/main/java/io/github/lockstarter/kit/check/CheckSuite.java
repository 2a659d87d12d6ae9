package io.github.lockstarter.kit.check;

import java.util.Comparator;
import java.util.List;

/** All checks. */
public final class CheckSuite {

    private static final List<Check> CHECKS = List.of(
            new ExclusionCheck(),
            new FencingOrderCheck(),
            new FencedWritesCheck(),
            new OwnershipCheck(),
            new WaitCheck(),
            new ProgressCheck(),
            new TakeoverCheck(),
            new LossCheck(),
            new WakeUpCheck(),
            new RenewalOrderCheck(),
            new HandOverCheck(),
            new AnomalyCheck());

    private CheckSuite() {}

    /** Returns the violations of all checks by time. */
    public static List<Violation> violations(History history) {
        return CHECKS.stream()
                .flatMap(check -> check.violations(history).stream())
                .sorted(Comparator.comparingLong(Violation::at))
                .toList();
    }
}
