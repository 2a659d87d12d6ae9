package io.github.lockstarter.sample.invoices;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.fence.Fences;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Assigns invoice numbers. The caller's transaction may be rolled back, so a number is only used once that transaction
 * has committed. {@link InTransaction#RELEASE_AFTER} keeps the lock until then; otherwise the next caller would read
 * the same last number.
 *
 * <p>The lock is lost if this instance is paused for longer than the lease. {@link Fences#enter} protects the table in
 * that case: the database rejects this transaction, or the next caller waits until it has ended.
 */
@Component
class InvoiceNumbers {

    private final JdbcClient jdbc;
    private final Fences fences;

    InvoiceNumbers(JdbcClient jdbc, Fences fences) {
        this.jdbc = jdbc;
        this.fences = fences;
    }

    /**
     * Returns the last committed number plus one, and keeps the lock until the caller's transaction has completed.
     *
     * @throws io.github.lockstarter.fence.OvertakenException if a later caller has entered; nothing is committed
     */
    @DistributedLock(name = "invoice-number", inTransaction = InTransaction.RELEASE_AFTER)
    public long next() {
        fences.enter();
        return 1
                + jdbc.sql("SELECT COALESCE(MAX(number), 0) FROM invoice")
                        .query(Long.class)
                        .single();
    }
}
