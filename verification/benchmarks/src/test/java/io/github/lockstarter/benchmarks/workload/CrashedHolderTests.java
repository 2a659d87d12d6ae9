package io.github.lockstarter.benchmarks.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import io.github.lockstarter.benchmarks.client.ClientKind;
import org.junit.jupiter.api.Test;

class CrashedHolderTests {

    private static final long SECOND = 1_000_000_000;

    @Test
    void measuresFromTheCrashToTheNextGrant() {
        assertThat(CrashedHolder.seconds(ClientKind.REDISSON, SECOND, 31 * SECOND))
                .isEqualTo(30);
    }

    @Test
    void rejectsAGrantBeforeTheCrash() {
        assertThatIllegalStateException()
                .isThrownBy(() -> CrashedHolder.seconds(ClientKind.REDISSON, 2 * SECOND, SECOND))
                .withMessageContaining("Granted while its holder was alive: redisson");
    }
}
