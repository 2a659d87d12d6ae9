package io.github.lockstarter.redlock;

/**
 * How many of the nodes decide.
 *
 * @param nodes how many there are
 */
record Quorum(int nodes) {

    /** So many say yes for a yes: any two such sets have a node in common. */
    int needed() {
        return nodes / 2 + 1;
    }

    /** So many say no for a no: the others are too few for a yes. */
    int blocking() {
        return nodes - needed() + 1;
    }

    /** What messages say where fewer than are needed did something. */
    String tooFew(long some, String did) {
        return "Only " + some + " of " + nodes + " nodes " + did + ", and " + needed() + " are needed";
    }
}
