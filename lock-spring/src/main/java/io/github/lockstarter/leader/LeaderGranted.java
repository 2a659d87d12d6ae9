package io.github.lockstarter.leader;

/**
 * Application event: this instance leads a role from now on. A {@link LeaderRevoked} with the same term follows before
 * the next one of the role. Listeners run one after the other on a thread that renews no lock, so they may block;
 * meanwhile the events of other roles also wait.
 *
 * @param role the role
 * @param term as {@link Leadership#term()}
 */
public record LeaderGranted(String role, long term) {}
