package io.github.lockstarter.redlock;

import java.util.BitSet;

/**
 * The nodes that may have granted the lock to a token, so that it can be released there when the token is given up.
 *
 * <p>The release that is sent to a node frees what the node executed before it. A node answers in the order in which it
 * executes, so what it grants before it answers the release needs nothing more. What it grants later it may have
 * executed behind the release, and so may it what it never answers. Nothing is freed before the node has answered the
 * release, whose answer would be another one then.
 *
 * <p>Goes from kept to revoked to being released, never back; and from there, node by node, to given up. Guarded by its
 * owner.
 */
final class LateGrants {

    private final BitSet mayHave = new BitSet();
    private final BitSet givenUp = new BitSet();
    private boolean revoked;
    private boolean released;

    /** The release is about to be sent: it frees what was answered so far. */
    void revoke() {
        if (!revoked) {
            revoked = true;
            mayHave.clear();
        }
    }

    boolean isRevoked() {
        return revoked;
    }

    /** The release was sent to all nodes, and no answer to it can be missed. */
    void released() {
        released = true;
    }

    /** The node says that it gave the token the lock. Returns whether that has to be freed at once. */
    boolean isLeftByGrant(int node) {
        return isLeft(node, !released);
    }

    /** Nobody knows, or ever will, what the node did. Returns whether that has to be freed at once. */
    boolean isLeftBySilence(int node) {
        return isLeft(node, true);
    }

    private boolean isLeft(int node, boolean counts) {
        if (givenUp.get(node)) {
            return true;
        }
        if (counts) {
            mayHave.set(node);
        }
        return false;
    }

    /** The node has answered the release, or there is none. Returns whether there is something to free at once. */
    boolean giveUp(int node) {
        boolean isLeft = mayHave.get(node);
        mayHave.clear(node);
        givenUp.set(node);
        return isLeft;
    }
}
