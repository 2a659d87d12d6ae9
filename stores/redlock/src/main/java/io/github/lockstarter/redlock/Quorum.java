package io.github.lockstarter.redlock;

record Quorum(int nodes) {

    /** Votes for a yes: any two such sets share a node. */
    int needed() {
        return nodes / 2 + 1;
    }

    /** Votes for a no: the other nodes are too few for a yes. */
    int blocking() {
        return nodes - needed() + 1;
    }

    String tooFew(long some, String did) {
        return "Only " + some + " of " + nodes + " nodes " + did + ", and " + needed() + " are needed";
    }
}
