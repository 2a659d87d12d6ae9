package io.github.lockstarter.redlock;

/** Something under way for a token that may still send more for it. */
interface Revocable {

    /** The token is being given up: nothing more may be sent that could give it the lock. Returns when that is certain. */
    void revoke();
}
