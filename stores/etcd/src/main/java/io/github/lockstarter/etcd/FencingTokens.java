package io.github.lockstarter.etcd;

/**
 * Fencing tokens: the revision at which the lock's key was created, times the maximum number of tokens of a grant, plus
 * an offset. Revisions increase over all keys of an etcd and are unique, so tokens of all locks are, too, and the gap
 * between two revisions has room for all tokens of a grant.
 *
 * <p>The offset is stored once per key prefix; each grant requires that it is unchanged. It is 0 until a client brings
 * a token that the revisions have not reached, after etcd was set up again or restored from a backup. That client
 * raises it. It never decreases, so later grants of this etcd always have greater tokens.
 */
final class FencingTokens {

    /** Maximum number of fencing tokens of a grant. */
    static final int ROOM = 1024;

    /** From 2^53 on, numbers are inexact in floating point; half of the range is left for later grants. */
    static final long HIGHEST_FLOOR = 1L << 52;

    private FencingTokens() {}

    static long at(long revision, long offset) {
        return revision * ROOM + offset;
    }

    /** The offset at which every later revision exceeds the floor. */
    static long offsetAbove(long floor, long revision, long offset) {
        long missing = floor + 1 - at(revision + 1, offset);
        return missing > 0 ? offset + missing : offset;
    }
}
