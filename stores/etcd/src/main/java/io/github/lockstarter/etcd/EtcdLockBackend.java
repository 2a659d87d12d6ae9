package io.github.lockstarter.etcd;

import io.etcd.jetcd.api.TxnRequest;
import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeOver;
import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.KeyOrder;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockThreads;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.StoreCapabilities;
import io.github.lockstarter.spi.StoreCapabilities.Leases;
import io.github.lockstarter.spi.StoreCapabilities.Signals;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Locks in etcd 3.4 or later, in a cluster of any size.
 *
 * <p>Stored, below the key prefix: {@code lock:<key>} while a lock is held or kept, with the owner's token, and {@code
 * lock:<key>%p<number>} for each further slot of a lock with several permits; {@code
 * waiter:<length>:<key>:<instance>} for each instance that waits; {@code mail:<length>:<instance>:<lease>} for a
 * message to the owner of a lock, that another instance waits or that an operator took it away; and one {@code fence},
 * an offset of the fencing tokens, if it was ever needed. All but the last have an etcd lease of their own and end with
 * it.
 *
 * <p>Each grant creates an etcd lease, and then the lock's key with that lease, in a transaction that fails if there is
 * such a key. A release, also of an attempt whose outcome is not known, ends the lease, and the key with it: never the
 * key of another owner, and a request that arrives later fails for want of the lease. A renewal reads the key, and
 * renews the lease that it has. Neither the lock requests of etcd nor its election are used. Waiting instances watch
 * the lock's key, from the revision on that refused them, and all of them try when it is gone. The fencing token is the
 * revision of the grant, times 1024, plus the offset.
 *
 * <p>Guarantee: a lock is held no longer than its key exists. The lease in etcd has at least as many seconds as were
 * asked for, and etcd creates or renews it after the command was sent, while the engine counts the hold from before
 * that; so the hold ends first, as far as the clocks of the client and of the leader run equally fast. A change of the
 * leader only prolongs leases. Etcd answers with what a majority of its members has stored, so no member that fails
 * takes a lock with it.
 *
 * <p>Known hole: leases of etcd are whole seconds, at least 2 as etcd is delivered (1.5 times its election timeout),
 * and start anew when the leader changes: the lock of a crashed instance may be kept longer than its lease. A process
 * that is paused for longer than its lease goes on as if it had the lock until it looks: check the fencing token where
 * you write. An etcd that is restored from a backup has forgotten the locks since, and may grant them twice. A leader
 * that was deposed while its disk or processor was stuck may end leases that were renewed since, unless etcd has
 * <a href="https://github.com/etcd-io/etcd/pull/16822">etcd-io/etcd#16822</a> of 2024; the holder finds out when it
 * renews.
 */
public final class EtcdLockBackend implements LockBackend {

    /** Etcd as it is delivered creates no shorter lease. */
    public static final Duration SHORTEST_LEASE = Duration.ofSeconds(2);

    static final StoreCapabilities CAPABILITIES =
            new StoreCapabilities(Signals.TO_ALL, Leases.PER_LOCK, SHORTEST_LEASE, FencingTokens.ROOM, true, true);

    // Called by any thread. Requests are answered on the callback threads, which never block. No field changes but
    // `mailbox`, which is set before the first command, and `closed`; each part says what it keeps.
    private final EtcdSettings settings;
    private final EtcdClient client;
    private final KeyNames names;
    private final WaitingKeys waiting;
    private final KeyOrder order;
    private final LockAcquirer acquirer;
    private final LockRenewer renewer;
    private final LockReleaser releaser;
    private final LockInspector inspector;
    private final TxnRequest probe;
    private volatile Optional<Mailbox> mailbox = Optional.empty();
    private volatile boolean closed;

    /**
     * Connects with the first command.
     *
     * @param settings how etcd is used
     */
    public EtcdLockBackend(EtcdSettings settings) {
        this.settings = settings;
        String target = settings.target();
        Executor callbacks = LockThreads.pool("lock-etcd", 2, Duration.ofSeconds(10));
        this.names = new KeyNames(settings.keyPrefix());
        Attempts attempts = new Attempts();
        this.client = new EtcdClient(settings, callbacks);
        this.waiting = new WaitingKeys(client, names, this::signal);
        this.order = new KeyOrder(callbacks);
        this.renewer = new LockRenewer(client, names, attempts, target);
        this.acquirer =
                new LockAcquirer(client, names, attempts, new FencingOffset(client, names), waiting, renewer, target);
        this.releaser = new LockReleaser(client, names, attempts, waiting, target);
        this.inspector = new LockInspector(client, names, target);
        this.probe = Requests.withoutEffect(names.probe());
    }

    @Override
    public StoreCapabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
        if (closed) {
            IllegalStateException cause = new IllegalStateException("closed");
            return CompletableFuture.completedFuture(
                    new AcquireResult.Rejected("The etcd lock backend is closed", cause));
        }
        Deadline deadline = client.deadline();
        return order.send(command.key(), () -> acquirer.acquire(command, deadline));
    }

    @Override
    public List<CompletionStage<RenewResult>> renew(List<RenewCommand> commands) {
        return renewer.renew(commands, client.deadline());
    }

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseCommand command) {
        Deadline deadline = client.deadline();
        return order.send(command.key(), () -> releaser.release(command, deadline));
    }

    @Override
    public CompletionStage<StoredLock> inspect(String key, int slot) {
        return inspector.inspect(key, slot, client.deadline());
    }

    @Override
    public CompletionStage<Revocation> revoke(String key, int slot, long fencingToken) {
        return inspector.revoke(key, slot, fencingToken, client.deadline());
    }

    @Override
    public CompletionStage<StoreState> state() {
        return client.transact(probe, client.deadline()).handle((answer, failure) -> {
            Optional<String> problem = Optional.ofNullable(failure)
                    .map(thrown -> EtcdFailure.of(thrown, settings.target()).reason());
            boolean hears = problem.isEmpty() && mailbox.map(Mailbox::isHeard).orElse(true);
            return new StoreState(
                            settings.target(), problem, Duration.ZERO, Guard.UNNEEDED, hears, List.of(), List.of())
                    .with(crashTakeOver());
        });
    }

    @Override
    public CrashTakeOver crashTakeOver() {
        return CrashTakeOver.off("Etcd ends the locks of a crashed instance with their leases");
    }

    /** {@inheritDoc} What fails while this backend is being closed is none. */
    @Override
    public boolean isSilence(Throwable failure) {
        return !closed && (EtcdFailure.isUnreached(failure) || LockBackend.super.isSilence(failure));
    }

    @Override
    public void listen(String instanceId, SignalListener listener) {
        Mailbox opened = new Mailbox(client, names.mailbox(instanceId), listener);
        mailbox = Optional.of(opened);
        opened.watch();
    }

    private void signal(String key) {
        if (!closed) {
            mailbox.ifPresent(open -> open.listener().onSignal(key, 0));
        }
    }

    /** Which cluster. */
    @Override
    public String toString() {
        return settings.target();
    }

    /** Closes the connections; what has no answer yet fails. Idempotent. */
    @Override
    public void close() {
        closed = true;
        waiting.close();
        mailbox.ifPresent(Mailbox::close);
        client.close();
    }
}
