package io.github.lockstarter.redlock;

/** Something under way for a token that may still send more for it, or hear that a node gave it the lock. */
interface PendingRound {

    /**
     * The token is about to be released: nothing more may be sent that could give it the lock. Returns when that is
     * certain. Frees nothing yet, or the release would find the lock gone.
     */
    void revoke();

    /** The release was sent to every node. */
    void released();

    /**
     * The node has answered the release, or there is none: what else it gave, or gives from now on, is freed.
     *
     * @param node by its place among the nodes
     */
    void giveUp(int node);
}
