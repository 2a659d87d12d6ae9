package io.github.lockstarter.model;

/**
 * Lock tokens as numbers. A client can refer to two of them: the token of its attempt or hold, and the token of the
 * command that it no longer awaits. All others are alike.
 */
final class Owner {

    static final int NOBODY = 0;

    /** An owner that can no longer renew or release. */
    static final int DEAD = 1;

    private static final int CURRENT = 2;
    private static final int EARLIER = 3;
    private static final int NEW = 4;
    private static final int PER_CLIENT = 3;

    private Owner() {}

    /** The token that a client is about to use for the first time. */
    static int fresh(int client) {
        return NEW + client * PER_CLIENT;
    }

    /** The token of the other client in the same place. */
    static int mirrored(int token) {
        if (token <= DEAD) {
            return token;
        }
        return token < CURRENT + PER_CLIENT ? token + PER_CLIENT : token - PER_CLIENT;
    }

    /** The name that a token has for as long as nothing happens. */
    static int renamed(int token, SystemState world) {
        if (token <= DEAD) {
            return token;
        }
        int client = (token - CURRENT) / PER_CLIENT;
        Client user = world.client(client);
        if (user.token() == token) {
            return CURRENT + client * PER_CLIENT;
        }
        boolean ghosts = user.ghost().isPresent() && user.ghost().get().token() == token;
        return ghosts ? EARLIER + client * PER_CLIENT : DEAD;
    }
}
