package io.github.lockstarter.leader;

/**
 * Application event: this instance now leads a role. A {@link LeaderRevoked} with the same term follows before the
 * role's next grant. Listeners may block, but they delay the events of other roles.
 *
 * @param role the role
 * @param term see {@link Leadership#term()}
 */
public record LeaderGranted(String role, long term) {}
