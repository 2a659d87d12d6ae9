package io.github.lockstarter.etcd;

/**
 * The numbers that fence: the revision at which the key of a lock was created, times the most tokens of one grant, plus
 * an offset. Revisions grow over all keys of an etcd and are never given twice, so tokens of all locks do so, too; the
 * distance between two revisions is room for all tokens of a grant.
 *
 * <p>The offset is stored once per key prefix, and each grant is made under the condition that it is still the same. It
 * is 0 until a client knows a token that the revisions have not reached: after etcd was set up anew, or restored from a
 * backup. That client raises it. It never falls, and no grant of this etcd has a token above what a later grant gets.
 */
final class FencingTokens {

    /** The most fencing tokens of a grant. */
    static final int ROOM = 1024;

    /** Numbers from 2^53 on are not exact where they are read as floating point; half of them are for later grants. */
    static final long HIGHEST_FLOOR = 1L << 52;

    private FencingTokens() {}

    /** The first token of a grant at a revision. */
    static long at(long revision, long offset) {
        return revision * ROOM + offset;
    }

    /** The offset with which every revision above the given one is above the floor. */
    static long offsetAbove(long floor, long revision, long offset) {
        long missing = floor + 1 - at(revision + 1, offset);
        return missing > 0 ? offset + missing : offset;
    }
}
