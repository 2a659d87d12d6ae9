package io.github.lockstarter.leader;

/** The roles for which this instance competes. Inject this type. Thread-safe. */
public interface Leaders {

    /**
     * Competes for a role when the application is ready. Does not block.
     *
     * @param role letters, digits, '.', '_' and '-'; use few, since each has a lock and meters
     * @return the same object for the same role
     * @throws IllegalArgumentException if the role is empty or has other characters
     */
    Leadership role(String role);
}
