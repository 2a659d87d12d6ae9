package io.github.lockstarter.jdbc;

import java.util.Locale;
import java.util.regex.Pattern;

/**
 * The table with the locks. Its name is part of statements, so it is checked.
 *
 * @param name its name of letters, digits and underscores, perhaps after the name of its schema and a dot; a schema
 *     with other characters is quoted as the database wants it
 */
public record LockTable(String name) {

    private static final String IDENTIFIER = "[A-Za-z_][A-Za-z0-9_]{0,49}";
    private static final Pattern NAME = Pattern.compile(
            "(?:(?:" + IDENTIFIER + "|\"[^\"'\\\\\\p{Cntrl}]+\"|`[^`'\\\\\\p{Cntrl}]+`)\\.)?" + IDENTIFIER);

    /** PostgreSQL refuses a notification with a longer one. */
    private static final int LONGEST_CHANNEL = 63;

    /** The table that the scripts create. */
    public static final LockTable DEFAULT = new LockTable("distributed_lock");

    /**
     * Checks the name.
     *
     * @param name its name
     * @throws IllegalArgumentException when it is no plain identifier
     */
    public LockTable {
        if (!NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("distributed-lock.jdbc.table must be a name of up to 50 letters, digits"
                    + " and underscores, perhaps after a schema and a dot, not '" + name + "'");
        }
    }

    /** With its schema, unless it was named; so each connection means the same table, whatever schema it has. */
    LockTable in(String schema, char quote) {
        return name.indexOf('.') < 0 ? new LockTable(quote + schema + quote + '.' + name) : this;
    }

    /** The sequence, or in MySQL the table, that numbers the grants. */
    String numbers() {
        return name + "_fencing";
    }

    /** The channel of notifications. Tables whose long names begin alike share one: their waiters look in vain. */
    String channel() {
        String whole =
                name.replaceAll("[\"`]", "").replaceAll("[^A-Za-z0-9_]", "_").toLowerCase(Locale.ROOT);
        return whole.substring(0, Math.min(whole.length(), LONGEST_CHANNEL));
    }
}
