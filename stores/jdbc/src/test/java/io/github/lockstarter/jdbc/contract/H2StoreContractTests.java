package io.github.lockstarter.jdbc.contract;

import io.github.lockstarter.contract.AcquireContract;
import io.github.lockstarter.contract.FencingContract;
import io.github.lockstarter.contract.ReleaseContract;
import io.github.lockstarter.jdbc.testing.H2Databases;
import io.github.lockstarter.jdbc.testing.JdbcStore;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;

/** The store in H2, in this JVM. */
class H2StoreContractTests {

    private static final TestDatabase DATABASE = H2Databases.empty().prepared();

    @Nested
    class Acquire extends AcquireContract {
        Acquire() {
            super(() -> JdbcStore.sharing(DATABASE));
        }
    }

    @Nested
    class Release extends ReleaseContract {
        Release() {
            super(() -> JdbcStore.sharing(DATABASE));
        }
    }

    @Nested
    class Fencing extends FencingContract {
        Fencing() {
            super(() -> JdbcStore.sharing(DATABASE));
        }
    }

    @Nested
    @Tag(Effort.FULL)
    class EverySuite extends JdbcStoreSuites {
        @Override
        TestDatabase database() {
            return DATABASE;
        }
    }
}
