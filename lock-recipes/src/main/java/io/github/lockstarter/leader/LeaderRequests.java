package io.github.lockstarter.leader;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.aop.LockRequestFactory;

/** Requests for methods with {@link io.github.lockstarter.leader.LeaderOnly}, which names a role. */
final class LeaderRequests implements LockRequestFactory {

    @Override
    public String locks() {
        return LeaderLocks.BEAN;
    }

    @Override
    public LockRequest requestFor(String role) {
        return LeaderLocks.requestFor(role);
    }

    @Override
    public String actionWithoutLocks() {
        return "There is no leader election. Mark one of several LockOperations beans as @Primary, and do not exclude "
                + "LeaderAutoConfiguration.";
    }
}
