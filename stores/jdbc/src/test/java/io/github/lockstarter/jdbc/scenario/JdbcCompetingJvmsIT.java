package io.github.lockstarter.jdbc.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.contract.CompetingJvm;
import io.github.lockstarter.contract.CompetingJvmsContract;
import io.github.lockstarter.jdbc.JdbcDialect;
import io.github.lockstarter.jdbc.testing.JdbcStore;
import io.github.lockstarter.jdbc.testing.PostgresExtension;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.testing.Effort;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag(Effort.FULL)
class JdbcCompetingJvmsIT extends CompetingJvmsContract {

    @RegisterExtension
    static final PostgresExtension POSTGRES = new PostgresExtension();

    JdbcCompetingJvmsIT() {
        super(JdbcCompetingJvmsIT.class, () -> new JdbcStore(POSTGRES.database()));
    }

    public static void main(String[] arguments) {
        CompetingJvm.run(arguments, (lease, address) -> new JdbcStore(
                        new TestDatabase(address.get(0), address.get(1), JdbcDialect.POSTGRESQL))
                .connect());
    }

    @Override
    protected List<String> address() {
        return List.of(POSTGRES.database().url(), POSTGRES.database().user());
    }

    @Override
    protected void assertNothingLeft() {
        assertThat(POSTGRES.database().number("SELECT COUNT(*) FROM distributed_lock"))
                .isZero();
    }
}
