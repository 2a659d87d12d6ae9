package io.github.lockstarter.jdbc.contract;

import io.github.lockstarter.jdbc.testing.H2Databases;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Tag;

/** The engine over the store in H2, in this JVM. */
@Tag(Effort.FULL)
class H2EngineContractTests extends JdbcEngineSuites {

    private static final TestDatabase DATABASE = H2Databases.empty().prepared();

    @Override
    TestDatabase database() {
        return DATABASE;
    }
}
