package io.github.lockstarter.transaction.testing;

import io.github.lockstarter.DistributedLock;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Withdraws 10 from the account of a {@link Bank} under its lock, with each propagation. */
public class Account {

    /** Key of the lock. */
    public static final String LOCK = "account";

    private final JdbcTemplate jdbc;

    public Account(JdbcTemplate jdbc) {
        this.jdbc = jdbc;
    }

    @DistributedLock(name = LOCK)
    public void withoutAnnotation() {
        withdraw();
    }

    @DistributedLock(name = LOCK)
    @Transactional
    public void required() {
        withdraw();
    }

    @DistributedLock(name = LOCK)
    @Transactional(propagation = Propagation.SUPPORTS)
    public void supports() {
        withdraw();
    }

    @DistributedLock(name = LOCK)
    @Transactional(propagation = Propagation.MANDATORY)
    public void mandatory() {
        withdraw();
    }

    @DistributedLock(name = LOCK)
    @Transactional(propagation = Propagation.NESTED)
    public void nested() {
        withdraw();
    }

    @DistributedLock(name = LOCK)
    @Transactional(propagation = Propagation.REQUIRES_NEW)
    public void requiresNew() {
        withdraw();
    }

    @DistributedLock(name = LOCK)
    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    public void notSupported() {
        withdraw();
    }

    @DistributedLock(name = LOCK)
    @Transactional(propagation = Propagation.NEVER)
    public void never() {
        withdraw();
    }

    /** Waits for the lock for as long as a test may take. */
    @DistributedLock(name = LOCK, maxWaitMs = 60_000)
    @Transactional
    public void withdrawAfterReading(Runnable onRead) {
        int balance = balance(jdbc);
        onRead.run();
        write(balance - 10);
    }

    @DistributedLock(name = LOCK, maxWaitMs = 60_000)
    public int read() {
        return balance(jdbc);
    }

    private void withdraw() {
        write(balance(jdbc) - 10);
    }

    private void write(int balance) {
        jdbc.update("update account set balance = ?", balance);
    }

    static int balance(JdbcTemplate jdbc) {
        Integer balance = jdbc.queryForObject("select balance from account", Integer.class);
        return balance == null ? 0 : balance;
    }
}
