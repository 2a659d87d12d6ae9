package io.github.lockstarter.jdbc.contract;

import io.github.lockstarter.jdbc.testing.PostgresExtension;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Holds in PostgreSQL. */
@Tag(Effort.FULL)
class PostgresHoldContractIT extends JdbcHoldSuites {

    @RegisterExtension
    static final PostgresExtension POSTGRES = new PostgresExtension();

    @Override
    TestDatabase database() {
        return POSTGRES.database();
    }
}
