package io.github.lockstarter.fence.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.fence.Fences;
import io.github.lockstarter.fence.OvertakenException;
import io.github.lockstarter.kit.Patience;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.ClassPathResource;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/** Fences in a database, whose holders overlap. */
public abstract class FenceSuite {

    private static final int HOLDERS = 600;
    private static final int AT_A_TIME = 16;
    private static final int LONGEST_THOUGHT_MILLIS = 5;

    private final AtomicLong lastToken = new AtomicLong();

    /** The common pool has too few threads on a small machine. */
    private final ExecutorService threads = Executors.newCachedThreadPool();

    private DataSource database;
    private JdbcTemplate jdbc;
    private TransactionTemplate transaction;
    private Fences fences;

    /** A database, with a pool of at least {@value #AT_A_TIME} connections; the same for all tests of a class. */
    protected abstract DataSource database();

    /** Name of the script with the tables. */
    protected abstract String script();

    @BeforeEach
    void createTables() {
        database = database();
        jdbc = new JdbcTemplate(database);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(database));
        fences = new Fences(database);
        List.of("distributed_lock_fence", "distributed_lock_once", "account")
                .forEach(table -> jdbc.execute("DROP TABLE IF EXISTS " + table));
        new ResourceDatabasePopulator(new ClassPathResource(script(), Fences.class)).execute(database);
        jdbc.execute("CREATE TABLE account (id INT NOT NULL PRIMARY KEY, balance INT NOT NULL, fence BIGINT NOT NULL)");
        jdbc.update("INSERT INTO account VALUES (1, 0, 0)");
    }

    @AfterEach
    void stopThreads() {
        threads.shutdownNow();
    }

    /** Protection of the reads and writes of the 600 holders. */
    private enum Protection {
        NONE,
        CHECK_AT_THE_WRITE,
        FENCE
    }

    @Test
    void losesNoUpdateOfOverlappingHolders() {
        assertThat(lostUpdates(Protection.FENCE)).isZero();
    }

    /** The control: the same holders, not protected, or as a fencing token alone protects. */
    @Test
    void losesUpdatesOfOverlappingHoldersWithoutAFence() {
        assertThat(lostUpdates(Protection.NONE)).as("not protected").isPositive();
        assertThat(lostUpdates(Protection.CHECK_AT_THE_WRITE))
                .as("checked at the write only")
                .isPositive();
    }

    private int lostUpdates(Protection protection) {
        jdbc.update("UPDATE account SET balance = 0, fence = 0");
        long seed = System.nanoTime();
        Random random = new Random(seed);
        List<Integer> thoughts = IntStream.range(0, HOLDERS)
                .map(holder -> random.nextInt(LONGEST_THOUGHT_MILLIS + 1))
                .boxed()
                .toList();
        AtomicInteger committed = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        ExecutorService holders = Executors.newFixedThreadPool(AT_A_TIME);
        List<CompletableFuture<Void>> done = thoughts.stream()
                .map(thought -> CompletableFuture.runAsync(
                        () -> (increment(protection, thought) ? committed : refused).incrementAndGet(), holders))
                .toList();
        CompletableFuture.allOf(done.toArray(CompletableFuture[]::new)).join();
        holders.shutdown();
        int balance = balance();
        System.out.printf(
                "%s %s: %d committed, %d refused, %d lost (seed %d)%n",
                getClass().getSimpleName(),
                protection,
                committed.get(),
                refused.get(),
                committed.get() - balance,
                seed);
        assertThat(committed).hasPositiveValue();
        return committed.get() - balance;
    }

    /** Returns false when the database refused it. */
    private boolean increment(Protection protection, int thought) {
        long token = lastToken.incrementAndGet();
        try {
            return holding(token, () -> {
                        if (protection == Protection.FENCE) {
                            fences.enter();
                        }
                        int balance = balance();
                        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(thought));
                        return protection == Protection.CHECK_AT_THE_WRITE
                                ? writeIfNewer(balance + 1, token)
                                : write(balance + 1);
                    })
                    == 1;
        } catch (OvertakenException refused) {
            return false;
        }
    }

    private int writeIfNewer(int balance, long token) {
        return jdbc.update("UPDATE account SET balance = ?, fence = ? WHERE fence < ?", balance, token, token);
    }

    @Test
    void refusesAHolderAfterALaterOne() {
        holding(2, () -> enterAndAdd(10));

        assertThatThrownBy(() -> holding(1, () -> enterAndAdd(100)))
                .isInstanceOf(OvertakenException.class)
                .hasMessage(
                        "Lost lock 'account' (fencing token 1): a later holder, with fencing token 2, has already used"
                                + " the protected data, so this access was refused. Retry the whole locked method: it"
                                + " acquires the lock and reads the data again");
        assertThat(balance()).isEqualTo(10);
    }

    /** A holder that is paused in the middle of its transaction keeps the next one out until that has ended. */
    @Test
    void theNextHolderWaitsForARunningTransaction() throws InterruptedException {
        CountDownLatch entered = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        CompletableFuture<Integer> paused = CompletableFuture.supplyAsync(
                () -> holding(1, () -> {
                    fences.enter();
                    int read = balance();
                    entered.countDown();
                    await(goOn);
                    return write(read + 1);
                }),
                threads);
        await(entered);
        CompletableFuture<Integer> next =
                CompletableFuture.supplyAsync(() -> holding(2, () -> enterAndAdd(10)), threads);

        Thread.sleep(300); // as long as it must be blocked
        assertThat(next).isNotDone();
        goOn.countDown();
        paused.join();
        next.join();
        assertThat(balance()).isEqualTo(11);
    }

    /** Even if the database has no limit, or a longer one. */
    @Test
    void waitsNoLongerThanTheTimeoutOfItsTransaction() {
        TransactionTemplate limited = new TransactionTemplate(new DataSourceTransactionManager(database));
        limited.setTimeout(1);
        holding(1, () -> {
            fences.enter();
            assertThat(CompletableFuture.supplyAsync(
                            () -> Overlapping.hold(2, () -> limited.execute(status -> enterAndAdd(10)), "account"),
                            threads))
                    .failsWithin(Patience.TIME)
                    .withThrowableThat()
                    .withCauseInstanceOf(DataAccessException.class);
            return write(1);
        });
        assertThat(balance()).isOne();
    }

    @Test
    void aRolledBackTransactionLeavesNothingBehind() {
        assertThatThrownBy(() -> holding(2, () -> {
                    enterAndAdd(10);
                    throw new IllegalArgumentException("rolled back");
                }))
                .hasMessage("rolled back");

        holding(1, () -> enterAndAdd(1));
        assertThat(balance()).isEqualTo(1);
    }

    @Test
    void acceptsTheSameHolderAgain() {
        holding(7, () -> {
            enterAndAdd(1);
            return enterAndAdd(1);
        });
        holding(7, () -> enterAndAdd(1));
        assertThat(balance()).isEqualTo(3);
    }

    @Test
    void checksEveryKeyOfEveryLock() {
        assertThat(transaction.<Integer>execute(
                        status -> Overlapping.hold(5, () -> Overlapping.hold(6, () -> enterAndAdd(1), "b", "c"), "a")))
                .isOne();

        for (String key : List.of("a", "b", "c")) {
            assertThatThrownBy(() -> transaction.execute(status -> Overlapping.hold(4, () -> enterAndAdd(1), key)))
                    .as(key)
                    .isInstanceOf(OvertakenException.class);
        }
        assertThat(balance()).isOne();
    }

    /** Of five lawful holders, one fence for all slots would refuse four. */
    @Test
    void keepsAFenceForEachSlot() {
        holdingSlot(1, 9);
        holdingSlot(0, 5);
        holdingSlot(2, 7);

        assertThatThrownBy(() -> holdingSlot(1, 8)).isInstanceOf(OvertakenException.class);
        assertThatThrownBy(() -> holdingSlot(0, 4)).isInstanceOf(OvertakenException.class);
        assertThat(balance()).isEqualTo(3);
    }

    private void holdingSlot(int slot, long fencingToken) {
        transaction.execute(status -> Overlapping.holdSlot(slot, fencingToken, () -> enterAndAdd(1), "partner-api"));
    }

    /** Each enters both keys, in opposite orders: the actual order is the order of the keys. */
    @Test
    void neverDeadlocks() {
        List<CompletableFuture<Integer>> both = IntStream.rangeClosed(1, 40)
                .mapToObj(number -> CompletableFuture.supplyAsync(
                        () -> {
                            String[] keys = number % 2 == 0 ? new String[] {"x", "y"} : new String[] {"y", "x"};
                            return transaction.<Integer>execute(status -> Overlapping.hold(
                                    1, () -> Overlapping.hold(1, () -> enterAndAdd(1), keys[1]), keys[0]));
                        },
                        threads))
                .toList();
        both.forEach(CompletableFuture::join);
        assertThat(balance()).isEqualTo(40);
    }

    /** With an update, they would lock the gap into which all of them insert. */
    @Test
    void acceptsManyNewKeysAtOnce() {
        transaction.setIsolationLevel(TransactionDefinition.ISOLATION_REPEATABLE_READ);
        List<CompletableFuture<Object>> all = IntStream.range(0, 200)
                .mapToObj(number -> CompletableFuture.supplyAsync(
                        () -> transaction.execute(status -> Overlapping.hold(
                                1,
                                () -> {
                                    fences.enter();
                                    return null;
                                },
                                "new" + number)),
                        threads))
                .toList();
        all.forEach(CompletableFuture::join);
        assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM distributed_lock_fence", Integer.class))
                .isEqualTo(200);
    }

    @Test
    void distinguishesLongAndUnusualKeys() {
        List<String> keys =
                List.of("k".repeat(1000) + 1, "k".repeat(1000) + 2, "K", "k", "k ", "\u00e9", "e\u0301", "%floor");
        keys.forEach(key -> transaction.execute(status -> Overlapping.hold(9, () -> enterAndAdd(1), key)));
        assertThat(jdbc.queryForObject("SELECT COUNT(*) FROM distributed_lock_fence", Integer.class))
                .isEqualTo(keys.size());
    }

    @Test
    void reportsTheFirstUseOnceAmongCommittedTransactions() {
        assertThatThrownBy(() -> transaction.execute(status -> {
                    assertThat(fences.first("webhook:1")).isTrue();
                    throw new IllegalArgumentException("rolled back");
                }))
                .hasMessage("rolled back");
        List<CompletableFuture<Boolean>> all = IntStream.range(0, AT_A_TIME)
                .mapToObj(number -> CompletableFuture.supplyAsync(
                        () -> transaction.execute(status -> fences.first("webhook:1")), threads))
                .toList();

        assertThat(all.stream().filter(CompletableFuture::join)).hasSize(1);
        assertThat(transaction.<Boolean>execute(status -> fences.first("webhook:2")))
                .isTrue();
    }

    @Test
    void reportsTheFirstUseOncePerTransaction() {
        transaction.executeWithoutResult(status -> {
            assertThat(fences.first("webhook:1")).isTrue();
            assertThat(fences.first("webhook:1")).isFalse();
        });
    }

    @Test
    void theFailureDescribesTheProblem() {
        assertThatThrownBy(() -> transaction.execute(status -> enterAndAdd(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "Fences were called under no lock, or one that is only read (mode READ). Call them inside of"
                                + " a method with @DistributedLock that writes, or of LockOperations.execute");
        assertThatThrownBy(() -> Overlapping.hold(1, () -> enterAndAdd(1), "account"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage(
                        "Fences were called outside of a transaction of their database, which would protect nothing."
                                + " Call them inside of a method with @Transactional, whose transaction manager is that of the"
                                + " fences' DataSource");
        TransactionTemplate ofAnother = new TransactionTemplate(new DataSourceTransactionManager(otherDatabase()));
        assertThatThrownBy(() -> ofAnother.execute(status -> fences.first("webhook:3")))
                .hasMessageStartingWith("Fences were called outside of a transaction of their database");

        jdbc.execute("DROP TABLE distributed_lock_fence");
        assertThatThrownBy(() -> holding(1, () -> enterAndAdd(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("Fences could not use their tables. Create them with the script for this database in"
                        + " classpath:io/github/lockstarter/fence/, such as postgresql.sql");
    }

    private <T> T holding(long token, Supplier<T> body) {
        return Objects.requireNonNull(
                Overlapping.hold(token, () -> transaction.<T>execute(status -> body.get()), "account"));
    }

    private int enterAndAdd(int amount) {
        fences.enter();
        return write(balance() + amount);
    }

    private int write(int balance) {
        return jdbc.update("UPDATE account SET balance = ?", balance);
    }

    private int balance() {
        return Objects.requireNonNull(jdbc.queryForObject("SELECT balance FROM account", Integer.class));
    }

    private static DataSource otherDatabase() {
        return new DriverManagerDataSource("jdbc:h2:mem:" + UUID.randomUUID());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(Patience.SECONDS, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
