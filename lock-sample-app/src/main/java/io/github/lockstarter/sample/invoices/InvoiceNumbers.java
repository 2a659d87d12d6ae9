package io.github.lockstarter.sample.invoices;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InTransaction;
import io.github.lockstarter.fence.Fences;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The next number of an invoice. A number is used once its invoice is committed, and not before, since the transaction
 * may be rolled back. So the lock outlives the call: without {@link InTransaction#RELEASE_AFTER} the next caller would
 * read the same last number.
 *
 * <p>The lock is lost if this instance is paused for longer than the lease. {@link Fences#enter} makes the database
 * refuse the transaction then, or makes the next caller wait until it has ended.
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
     * Reads the last number under a lock that is released when the transaction of the caller has completed.
     *
     * @return one above the last committed number
     * @throws io.github.lockstarter.OvertakenException when a later caller has entered; nothing is committed
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
