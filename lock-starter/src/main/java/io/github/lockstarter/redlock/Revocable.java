package io.github.lockstarter.redlock;

/** Something under way for a token that may still send more for it, or hear that a node gave it the lock. */
interface Revocable {

    /**
     * The token is being given up: nothing more may be sent that could give it the lock, and a node that may have given it
     * the lock, and says so only from now on, is told to free it. Returns when that is certain.
     */
    void revoke();
}
