package io.github.lockstarter.model.readers;

import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Instances, servers and faults. Times are in ticks.
 *
 * @param instances of each instance, the role
 * @param leases of each instance, the lease
 * @param slots of readers
 * @param window w: how long a deposed master continues to execute writes; {@link #NO_FAILOVER} without replica
 * @param left disabled rules
 */
record ReadRules(List<Role> instances, List<Integer> leases, int slots, int window, Set<ReadRule> left) {

    static final int NO_FAILOVER = -1;

    /** What an instance does with the lock. */
    enum Role {
        READS,
        WRITES,
        /** Writes, and goes on to read. */
        DOWNGRADES;

        boolean writes() {
            return this != READS;
        }
    }

    static ReadRules of(int slots, int window, Role... instances) {
        List<Integer> leases = Collections.nCopies(instances.length, 2);
        return new ReadRules(List.of(instances), leases, slots, window, EnumSet.noneOf(ReadRule.class));
    }

    ReadRules leases(Integer... ofInstances) {
        return new ReadRules(instances, List.of(ofInstances), slots, window, left);
    }

    ReadRules without(ReadRule rule) {
        return new ReadRules(instances, leases, slots, window, EnumSet.of(rule));
    }

    boolean keeps(ReadRule rule) {
        return !left.contains(rule);
    }

    boolean hasFailover() {
        return window != NO_FAILOVER;
    }

    int longestLease() {
        return leases.stream().mapToInt(lease -> lease).max().orElseThrow();
    }

    /** How old a history must be for grants and takeovers. */
    int grace() {
        int grace = longestLease() + Math.max(0, window);
        return keeps(ReadRule.GRACE_COVERS_LEASE) ? grace : grace - 1;
    }

    /** How old a history must be for renewals. */
    int quiet() {
        return keeps(ReadRule.RENEWAL_WAITS_FOR_DEPOSED) ? window : window - 1;
    }

    @Override
    public String toString() {
        String failover = hasFailover() ? " w=" + window : "";
        return instances + " leases=" + leases + " slots=" + slots + failover
                + (left.isEmpty() ? "" : " without " + List.copyOf(left));
    }
}
