package io.github.lockstarter.jdbc.contract;

import io.github.lockstarter.jdbc.testing.H2Databases;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Tag;

/** Holds in H2, in this JVM; as long as the suites with a server, and beside them. */
@Tag(Effort.FULL)
class H2HoldContractIT extends JdbcHoldSuites {

    private static final TestDatabase DATABASE = H2Databases.empty().prepared();

    @Override
    TestDatabase database() {
        return DATABASE;
    }
}
