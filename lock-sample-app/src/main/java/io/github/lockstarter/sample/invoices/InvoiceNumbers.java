package io.github.lockstarter.sample.invoices;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.InTransaction;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * The next number of an invoice. A number is used once its invoice is committed, and not before, since the transaction
 * may be rolled back. So the lock outlives the call: without {@link InTransaction#RELEASE_AFTER} the next caller would
 * read the same last number.
 */
@Component
class InvoiceNumbers {

    private final JdbcClient jdbc;

    InvoiceNumbers(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * Reads the last number under a lock that is released when the transaction of the caller has completed.
     *
     * @return one above the last committed number
     */
    @DistributedLock(name = "invoice-number", inTransaction = InTransaction.RELEASE_AFTER)
    public long next() {
        return 1
                + jdbc.sql("SELECT COALESCE(MAX(number), 0) FROM invoice")
                        .query(Long.class)
                        .single();
    }
}
