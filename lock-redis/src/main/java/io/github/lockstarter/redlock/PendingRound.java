package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;

/**
 * An acquisition or renewal in progress, which may still send commands for its token, or receive a late grant. It
 * stays under way until each node has answered everything, also when it is decided: what a node executes behind the
 * release of the token is freed there ({@link LateGrants}). Nothing of a token that is not given up is freed.
 *
 * <p>Called by the nodes' threads and by the one that releases. {@link #lock} guards {@link #lateGrants} and all that
 * changes in the subclasses. What may give the token the lock is sent under the lock, so that {@link #revoke} comes
 * either after it or prevents it.
 */
abstract class PendingRound {

    final ReentrantLock lock = new ReentrantLock();
    final LateGrants lateGrants = new LateGrants();
    final List<QuorumMember> nodes;
    final Quorum quorum;
    final PendingRounds underWay;

    private final String key;
    private final LockToken token;

    PendingRound(List<QuorumMember> nodes, String key, LockToken token, PendingRounds underWay) {
        this.nodes = nodes;
        this.quorum = new Quorum(nodes.size());
        this.key = key;
        this.token = token;
        this.underWay = underWay;
    }

    /** Whether each node has answered everything that could give the token the lock. Called under the lock. */
    abstract boolean isSettled();

    final void begin() {
        underWay.add(token, this);
    }

    final void removeIfSettled() {
        boolean settled;
        lock.lock();
        try {
            settled = isSettled();
        } finally {
            lock.unlock();
        }
        if (settled) {
            underWay.remove(token, this);
        }
    }

    /** Whether what a node answered to an attempt has to be freed at once. Called under the lock. */
    final boolean isLeft(int node, AcquireResult answer) {
        return answer instanceof AcquireResult.Granted
                ? lateGrants.isLeftByGrant(node)
                : answer instanceof AcquireResult.Unknown && lateGrants.isLeftBySilence(node);
    }

    final void free(int node) {
        nodes.get(node).free(key, token);
    }

    final IntStream allNodes() {
        return IntStream.range(0, nodes.size());
    }

    /**
     * The token is about to be released: nothing more may be sent that could give it the lock. Returns when that is
     * certain. Frees nothing yet, or the release would find the lock gone.
     */
    final void revoke() {
        lock.lock();
        try {
            lateGrants.revoke();
        } finally {
            lock.unlock();
        }
    }

    /** The release was sent to every node. */
    final void released() {
        lock.lock();
        try {
            lateGrants.released();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The node has answered the release, or there is none: what else it gave, or gives from now on, is freed.
     *
     * @param node by its place among the nodes
     */
    final void giveUp(int node) {
        boolean isLeft;
        lock.lock();
        try {
            isLeft = lateGrants.giveUp(node);
        } finally {
            lock.unlock();
        }
        if (isLeft) {
            free(node);
        }
    }

    final void giveUpAll() {
        allNodes().forEach(this::giveUp);
    }
}
