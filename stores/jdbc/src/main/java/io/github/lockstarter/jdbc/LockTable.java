package io.github.lockstarter.jdbc;

import java.util.regex.Pattern;

/**
 * The lock table. Its name becomes part of statements, so it is validated.
 *
 * @param name letters, digits and underscores, optionally after a schema and a dot; a schema with other characters is
 *     quoted as the database requires
 */
public record LockTable(String name) {

    private static final String IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]{0,49}";
    private static final Pattern NAME = Pattern.compile(
            "(?:(?:" + IDENTIFIER + "|\"[^\"'\\\\\\p{Cntrl}]+\"|`[^`'\\\\\\p{Cntrl}]+`)\\.)?" + IDENTIFIER);

    /** The table that the scripts create. */
    public static final LockTable DEFAULT = new LockTable("distributed_lock");

    /**
     * Validates the name.
     *
     * @param name name
     * @throws IllegalArgumentException when it is not a plain identifier
     */
    public LockTable {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("distributed-lock.jdbc.table must be a name of up to 50 letters, digits"
                    + " and underscores, perhaps after a schema and a dot, not '" + name + "'");
        }
    }

    /** Adds the schema unless one is named, so that every connection uses the same table. */
    LockTable in(String schema, char quote) {
        return name.indexOf('.') < 0 ? new LockTable(quote + schema + quote + '.' + name) : this;
    }

    /** The sequence, in MySQL the table, that numbers grants. */
    String numbers() {
        return name + "_fencing";
    }
}
