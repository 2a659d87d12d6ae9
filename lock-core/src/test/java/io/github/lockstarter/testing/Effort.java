package io.github.lockstarter.testing;

/**
 * How far tests go that search: small in each build, whole with {@code mvn -Pfull verify}. Tests that are left out of a
 * usual build altogether have the tag {@value #FULL}.
 */
public final class Effort {

    /** Tag of tests that {@code -Pfast} leaves out: they wait or search for more than some seconds. */
    public static final String SLOW = "slow";

    /** Tag of tests that run with {@code -Pfull} only. */
    public static final String FULL = "full";

    /**
     * Tag of tests that bound a time, or compare two, and so depend on a machine with time to spare: they run with
     * {@code -Pfull} only.
     */
    public static final String TIMING = "timing";

    private static final boolean IS_FULL = Boolean.getBoolean("lock.test.full");

    private Effort() {}

    /** The first number in a usual build, the second one with {@code -Pfull}. */
    public static int of(int usual, int full) {
        return IS_FULL ? full : usual;
    }
}
