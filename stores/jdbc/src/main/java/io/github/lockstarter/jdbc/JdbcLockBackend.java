package io.github.lockstarter.jdbc;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.jdbc.JdbcCommand.Statements;
import io.github.lockstarter.jdbc.LockRepository.Lease;
import io.github.lockstarter.jdbc.SqlFailure.Kind;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.KeyOrder;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockThreads;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.Slots;
import io.github.lockstarter.spi.StoreCapabilities;
import io.github.lockstarter.spi.StoredKeys;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import java.util.stream.IntStream;
import javax.sql.DataSource;

/**
 * Locks in a table of H2, PostgreSQL, MySQL or MariaDB. A script creates the table ({@link JdbcDialect#script}); {@link
 * #start} checks it.
 *
 * <p>Each held slot has one row: its key as {@link StoredKeys} encodes it, the lock token, the last fencing token, and
 * the times of grant and expiry by the database's clock, in UTC. A release deletes the row. The next acquirer takes
 * over an expired row; without one, it is deleted {@link LockRepository#SWEPT_AFTER later}.
 *
 * <p>Commands use pooled connections and this backend's threads, never the caller's transaction or thread. Commands for
 * one key run in order; renewals are independent of them. Fencing tokens increase across all keys.
 *
 * <p>Waiters poll: one statement for each waiting instance and interval.
 *
 * <p>Guarantee: a lock is exclusive while the database keeps its committed transactions. Known hole: a failover to a
 * replica without the latest transactions loses locks and numbers.
 */
public final class JdbcLockBackend implements LockBackend {

    /** All renewals due after an outage may not fit in one command timeout. */
    private static final int MOST_RENEWALS = 500;

    private static final Duration IDLE = Duration.ofSeconds(10);

    /** Opening a pool's first connection may take longer than a command. */
    private static final Duration LEAST_START_TIME = Duration.ofSeconds(10);

    private final JdbcSettings settings;
    private final JdbcDatabase database;
    private final StoredKeys keys;
    private final ThreadPoolExecutor commandThreads;
    private final ThreadPoolExecutor renewalThread;
    private final ScheduledThreadPoolExecutor timer = LockThreads.timer("lock-jdbc-timer");
    private final KeyOrder order;
    private volatile boolean closed;
    private final AtomicLong swept = new AtomicLong(System.nanoTime());

    /**
     * Opens no connection.
     *
     * @param source pool, whose connections must not take part in the caller's transactions; the caller closes it
     * @param settings settings
     */
    public JdbcLockBackend(DataSource source, JdbcSettings settings) {
        ClassLoader application = Thread.currentThread().getContextClassLoader();
        this.settings = settings;
        this.database = new JdbcDatabase(source, settings);
        this.keys = new StoredKeys(settings.keyPrefix());
        this.commandThreads = LockThreads.pool("lock-jdbc", settings.threads(), IDLE, application);
        this.renewalThread = LockThreads.pool("lock-jdbc-renewal", 1, IDLE, application);
        this.order = new KeyOrder(commandThreads);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(true); // commands under way may hang
    }

    /**
     * Connects, and checks the table with a test lock. Blocks for up to 10 s, or the command timeout if it is longer.
     *
     * @throws JdbcUnavailableException when the database cannot be used
     */
    public void start() {
        String key = keys.of("start-check:" + UUID.randomUUID());
        Duration longest = settings.commandTimeout().compareTo(LEAST_START_TIME) > 0
                ? settings.commandTimeout()
                : LEAST_START_TIME;
        BlockingWait.awaitUninterruptibly(run(key, longest, locks -> locks.check(key), Optional::of))
                .ifPresent(failure -> {
                    throw new JdbcUnavailableException(
                            "Locks cannot be kept in " + database + ". " + failure.problem(),
                            failure.remedy().isEmpty()
                                    ? "Check spring.datasource.* and that the server is up"
                                    : failure.remedy(),
                            failure.cause());
                });
    }

    /**
     * Reports problems of the pool that are no failure yet. Returns at once.
     *
     * @return texts with their remedies; empty if none, or before {@link #start}
     */
    public List<String> warnings() {
        return database.warnings();
    }

    @Override
    public StoreCapabilities capabilities() {
        return new StoreCapabilities(LockRepository.TOKENS_OF_A_NUMBER, true, true, true, false);
    }

    @Override
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        List<String> slots = keys.of(command.key(), Slots.first(command.permits()));
        String key = slots.get(0);
        sweepSometimes();
        return run(key, locks -> locks.trySlots(slots, command), JdbcLockBackend::notAcquired)
                .thenApply(result -> result instanceof AcquireResult.Contended contended
                                && command.waiting().isPresent()
                        ? lookingAgain(contended)
                        : result);
    }

    private AcquireResult lookingAgain(AcquireResult.Contended contended) {
        return new AcquireResult.Contended(
                contended.remainingLease(),
                contended.position(),
                contended.holder(),
                contended.kept(),
                Optional.of(settings.pollInterval()));
    }

    private static AcquireResult notAcquired(SqlFailure failure) {
        return switch (failure.kind()) {
            case REFUSED -> new AcquireResult.Rejected(failure.reason(), failure.cause());
            case RETRY, UNAVAILABLE -> new AcquireResult.Unavailable(failure.reason(), failure.cause());
            case UNKNOWN -> new AcquireResult.Unknown(failure.reason(), failure.cause());
        };
    }

    /** Renews in batches on a separate thread, so other commands do not delay renewals. */
    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> renewals) {
        List<CompletionStage<RenewResult>> results = new ArrayList<>(renewals.size());
        for (int from = 0; from < renewals.size(); from += MOST_RENEWALS) {
            results.addAll(renewTogether(renewals.subList(from, Math.min(from + MOST_RENEWALS, renewals.size()))));
        }
        return results;
    }

    private List<CompletionStage<RenewResult>> renewTogether(List<RenewCommand> renewals) {
        List<Lease> leases = renewals.stream()
                .map(each ->
                        new Lease(keys.of(each.key(), each.slot()), each.token().value(), each.lease()))
                .toList();
        JdbcCommand<List<RenewResult>> command = new JdbcCommand<>(
                database,
                locks -> locks.updateLeases(leases),
                failure ->
                        Collections.nCopies(leases.size(), new RenewResult.Unknown(failure.reason(), failure.cause())));
        CompletableFuture<List<RenewResult>> results = command.within(settings.commandTimeout(), timer);
        command.runOn(renewalThread);
        return IntStream.range(0, leases.size())
                .<CompletionStage<RenewResult>>mapToObj(i -> results.thenApply(all -> all.get(i)))
                .toList();
    }

    @Override
    public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        String key = keys.of(command.key());
        List<String> slots = keys.of(command.key(), command.slots());
        return run(
                key,
                locks -> locks.freeSlots(key, slots, command),
                failure -> new ReleaseResult.Unknown(failure.reason(), failure.cause()));
    }

    @Override
    public CompletionStage<StoredLock> inspect(String key, int slot) {
        String stored = keys.of(key, slot);
        return run(keys.of(key), locks -> locks.inspect(stored), failure -> new StoredLock.Unknown(failure.reason()));
    }

    @Override
    public CompletionStage<Revocation> revoke(String key, int slot, long fencingToken) {
        String stored = keys.of(key);
        return run(
                stored,
                locks -> locks.revoke(keys.of(key, slot), fencingToken),
                failure -> new Revocation.Unknown(failure.reason()));
    }

    @Override
    public CompletionStage<StoreState> state() {
        return run(UUID.randomUUID().toString(), LockRepository::probe, failure -> Optional.of(failure.reason()))
                .thenApply(failure -> new StoreState(
                                toString(), failure, Duration.ZERO, Guard.OFF, failure.isEmpty(), List.of(), List.of())
                        .with(crashTakeover()));
    }

    @Override
    public CrashTakeover crashTakeover() {
        return CrashTakeover.off("A database does not tell a crashed instance from a paused one, so the lease of a lock"
                + " has to end before another instance gets it");
    }

    /**
     * {@inheritDoc} Counts every database failure that is not a known refusal, including a pool without a free
     * connection in time. Counts none once {@link #close} has begun.
     */
    @Override
    public boolean isSilence(Throwable failure) {
        if (closed) {
            return false;
        }
        return failure instanceof SQLException sql
                ? database.failure(sql).kind() == Kind.UNKNOWN && !SqlFailure.isTurnedDown(sql)
                : LockBackend.super.isSilence(failure);
    }

    /** Sends no signals. */
    @Override
    public void listen(String instanceId, SignalListener listener) {}

    @Override
    public String toString() {
        return database + ", table " + database.table().name();
    }

    /** Rejects further commands, and waits for those under way. Returns all connections. Idempotent. */
    @Override
    public void close() {
        closed = true;
        commandThreads.shutdown();
        renewalThread.shutdown();
        // The application may close the pool next, which breaks and logs borrowed connections.
        LockThreads.join(commandThreads);
        LockThreads.join(renewalThread);
        timer.shutdown();
    }

    private void sweepSometimes() {
        long last = swept.get();
        long now = System.nanoTime();
        if (now - last > LockRepository.SWEPT_AFTER.toNanos() && swept.compareAndSet(last, now)) {
            run("", locks -> locks.sweep(LockRepository.SWEPT_AFTER), failure -> false); // repeated later
        }
    }

    private <R> CompletableFuture<R> run(String key, Statements<R> statements, Function<SqlFailure, R> failed) {
        return run(key, settings.commandTimeout(), statements, failed);
    }

    private <R> CompletableFuture<R> run(
            String key, Duration timeout, Statements<R> statements, Function<SqlFailure, R> failed) {
        JdbcCommand<R> command = new JdbcCommand<>(database, statements, failed);
        CompletableFuture<R> result = command.within(timeout, timer);
        order.send(key, () -> command.runOn(commandThreads)).exceptionally(command::refuse);
        return result;
    }
}
