package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTerms;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ResolvedRequestTests {

    @ParameterizedTest
    @ValueSource(longs = {20, 21, 100, 900, 3_000, 30_000, 600_000, 31_536_000_000L})
    void renewsSlightlyBeforeAThirdOfTheLeaseAtTheLatest(long leaseMillis) {
        ResolvedRequest terms = leased(Duration.ofMillis(leaseMillis));
        long third = terms.leaseNanos() / 3;
        long most = Math.min(terms.leaseNanos() / 100, 50_000_000);
        Random random = new Random(leaseMillis);
        for (int i = 0; i < 1_000; i++) {
            long sent = random.nextLong(); // the monotonic clock may say anything
            assertThat(terms.renewAt(sent) - sent).isBetween(third - most + 1, third);
        }
    }

    @Test
    void alignsRenewalsThatAreDueAtAboutTheSameTime() {
        ResolvedRequest terms = leased(Duration.ofSeconds(30));
        long start = terms.renewAt(0);
        long distinct = LongStream.range(0, 1_000)
                .map(millis -> terms.renewAt(start + millis * 1_000_000))
                .distinct()
                .count();
        assertThat(distinct).isBetween(20L, 21L);
    }

    private static ResolvedRequest leased(Duration lease) {
        return new ResolvedRequest(LockRequest.UNNAMED, LockTerms.NONE.lease(lease), Duration.ZERO, Optional.empty());
    }
}
