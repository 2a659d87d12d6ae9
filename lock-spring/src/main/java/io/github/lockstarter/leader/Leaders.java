package io.github.lockstarter.leader;

/** The roles for which this instance of the application competes. Inject this type. Thread-safe. */
public interface Leaders {

    /**
     * A role, for which this instance competes from now on, or from the moment when the application is ready. Does not
     * block.
     *
     * @param role letters, digits, '.', '_' and '-'; few distinct values, since each has a lock and meters
     * @return the same object for the same role
     * @throws IllegalArgumentException when the role has other characters, or none
     */
    Leadership role(String role);
}
