package io.github.lockstarter.leader;

/**
 * Application event: this instance leads a role. Listeners may block, but they delay the events of other roles.
 *
 * @param role role
 * @param term see {@link Leadership#term()}
 */
public record LeaderGranted(String role, long term) {}
