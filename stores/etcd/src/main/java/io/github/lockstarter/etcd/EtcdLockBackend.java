package io.github.lockstarter.etcd;

import io.etcd.jetcd.api.TxnRequest;
import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
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
import io.grpc.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;

/**
 * Locks in etcd 3.4.23, 3.5.7 or later, in a cluster of any size. Older servers may lose data, or crash at a
 * transaction that only reads and is out of time.
 *
 * <p>Keys below the prefix: {@code lock:<key>} with the owner's token while a lock is held or kept, and {@code
 * lock:<key>%p<number>} for each further slot of a lock with several permits; {@code waiter:<length>:<key>:<instance>}
 * for each waiting instance; {@code mail:<length>:<instance>:<lease>} for a message to an owner that another instance
 * waits or that an operator revoked the lock; and one {@code fence}, the offset of fencing tokens, if ever needed. All
 * but {@code fence} have an etcd lease and end with it.
 *
 * <p>A grant creates an etcd lease, then the lock's key with that lease, in a transaction that fails if the key exists.
 * A release, including that of an attempt with an unknown outcome, ends the lease and so the key: it never deletes
 * another owner's key, and a create request that arrives later fails because the lease is gone. A renewal reads the key
 * and renews its lease. Waiting instances watch the lock's key from the revision of their refusal, and all retry when
 * it is deleted. Etcd's own lock and election services are not used.
 *
 * <p>Guarantee: a lock is held no longer than its key exists. The etcd lease is at least as long as requested, and
 * starts after the command was sent, while the engine counts from before; so the hold ends first if the clocks of
 * client and leader run equally fast. A change of the leader only prolongs leases. A majority stores every acknowledged
 * write, so the failure of a member loses no lock.
 *
 * <p>Known holes: etcd leases are whole seconds, by default at least 2 (1.5 times the election timeout), and restart
 * when the leader changes, so a crashed instance's lock may outlast its lease. A process that is paused for longer than
 * its lease continues as the owner until its next check: check the fencing token on writes. An etcd restored from a
 * backup has lost later locks and may grant them twice. A deposed leader that was stuck on disk or CPU may end leases
 * renewed since, unless etcd includes <a href="https://github.com/etcd-io/etcd/pull/16822">etcd-io/etcd#16822</a>
 * (2024); the next renewal detects that.
 */
public final class EtcdLockBackend implements LockBackend {

    /** The minimum in etcd's default configuration. */
    public static final Duration SHORTEST_LEASE = Duration.ofSeconds(2);

    static final StoreCapabilities CAPABILITIES = new StoreCapabilities(FencingTokens.ROOM, true, true, true, false);

    // Called by any thread. Requests complete on the callback threads, which never block. Only `mailbox`, set by
    // the engine when it starts, `busy` and `closed` change.
    private final EtcdSettings settings;
    private final EtcdClient client;
    private final KeyNames names;
    private final WaitingKeys waiting;
    private final KeyOrder order;
    private final Set<String> busy = LockAcquirer.busyKeys();
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
     * @param settings settings
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
        this.acquirer = new LockAcquirer(
                client, names, attempts, new FencingTokens(client, names), waiting, renewer, target, busy);
        this.releaser = new LockReleaser(client, names, attempts, waiting, target);
        this.inspector = new LockInspector(client, names, target);
        this.probe = Requests.withoutEffect(names.probe());
    }

    @Override
    public StoreCapabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        if (closed) {
            IllegalStateException cause = new IllegalStateException("closed");
            return CompletableFuture.completedFuture(
                    new AcquireResult.Rejected("The etcd lock backend is closed", cause));
        }
        Deadline deadline = client.deadline();
        return order.send(command.key(), () -> acquirer.attemptKey(command, deadline));
    }

    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        return renewer.renewKeys(commands, client.deadline());
    }

    @Override
    public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        Deadline deadline = client.deadline();
        return order.send(command.key(), () -> releaser.releaseKey(command, deadline));
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
            boolean receives = problem.isEmpty() && mailbox.map(Mailbox::isOpen).orElse(true);
            return new StoreState(
                            settings.target(), problem, Duration.ZERO, Guard.UNNEEDED, receives, List.of(), List.of())
                    .with(crashTakeover());
        });
    }

    @Override
    public CrashTakeover crashTakeover() {
        return CrashTakeover.off("Etcd ends the locks of a crashed instance with their leases");
    }

    /** {@inheritDoc} Counts none once {@link #close} has begun. */
    @Override
    public boolean isSilence(Throwable failure) {
        return !closed && (EtcdFailure.isUnreachable(failure) || LockBackend.super.isSilence(failure));
    }

    @Override
    public void listen(String instanceId, SignalListener listener) {
        Mailbox opened = new Mailbox(client, names.mailbox(instanceId), listener);
        mailbox.ifPresent(Mailbox::close);
        mailbox = Optional.of(opened);
        opened.watch();
    }

    private void signal(String key) {
        busy.remove(key);
        if (!closed) {
            mailbox.ifPresent(open -> open.listener().onSignal(key, 0));
        }
    }

    @Override
    public String toString() {
        return settings.target();
    }

    /** Closes the connections; pending commands fail. Idempotent. */
    @Override
    public void close() {
        closed = true;
        waiting.close();
        mailbox.ifPresent(Mailbox::close);
        client.close();
    }
}
