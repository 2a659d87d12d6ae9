package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

class LockRequestTests {

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " ", "\t\n"})
    void refusesANullOrBlankKey(String key) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.of(key))
                .withMessageContaining("key")
                .withMessageContaining("order:42");
    }

    @Test
    void refusesAnOverlongKey() {
        String longest = "k".repeat(LockRequest.MAX_KEY_LENGTH);
        assertThat(LockRequest.of(longest).keys()).containsExactly(longest);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.of(longest + "k"))
                .withMessageContaining("16385 characters; at most 16384")
                .satisfies(thrown -> assertThat(thrown.getMessage()).hasSizeLessThan(200));
    }

    @Test
    void refusesAnEmptyListOfKeys() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.ofAll(List.of()))
                .withMessageContaining("no key");
        assertThatIllegalArgumentException().isThrownBy(() -> LockRequest.ofAll(Arrays.asList("a", null)));
    }

    @Test
    void refusesTooManyKeys() {
        List<String> most = Collections.nCopies(LockRequest.MAX_KEYS, "a");
        assertThat(LockRequest.ofAll(most).keys()).containsExactly("a");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.ofAll(Collections.nCopies(LockRequest.MAX_KEYS + 1, "a")))
                .withMessage("Lock 'unnamed' has 10001 keys; at most 10000 are allowed. Lock what contains them, or a"
                        + " part of them at a time");
    }

    @Test
    void sortsSeveralKeysAndDropsDuplicates() {
        assertThat(LockRequest.ofAll(List.of("b", "a", "b")).keys()).containsExactly("a", "b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-1S", "PT0.019S", "P366D", "PT2562047788015215H"})
    void refusesAnImpossibleLease(String lease) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.of("order:42").lease(Duration.parse(lease)))
                .withMessageContaining("order:42")
                .withMessageContaining("between 20ms and 365d");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT-0.001S", "P366D", "PT2562047788015215H"})
    void refusesAnImpossibleWait(String wait) {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.of("order:42").maxWait(Duration.parse(wait)))
                .withMessageContaining("order:42")
                .withMessageContaining("between 0ms and 365d");
    }

    /** Which the log, meters and spans show. */
    @Test
    void refusesANameThatForgesALineOfTheLog() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.of("key").named("order\n2026 WARN forged"))
                .withMessageContaining("'order\\n2026 WARN forged' has a control character");
    }

    @Test
    void refusesABlankName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.of("order:42").named(" "))
                .withMessageContaining("name");
    }

    @Test
    void refusesSeveralPermitsForSeveralKeys() {
        LockRequest both = LockRequest.ofAll(List.of("a", "b"));

        assertThat(both.permits(1).keys()).hasSize(2);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> both.permits(3))
                .withMessageStartingWith("Lock 'a, b' has 3 permits and 2 keys.");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> LockRequest.of("a").permits(3).withKeys(List.of("a", "b")));
    }

    @ParameterizedTest
    @NullSource
    void refusesNullAsATerm(Renewal renewal) {
        assertThatNullPointerException()
                .isThrownBy(() -> LockTerms.NONE.renewal(renewal))
                .withMessage("renewal");
    }

    @Test
    void changesReturnCopies() {
        LockRequest plain = LockRequest.of("order:42");
        LockRequest changed = plain.named("ship")
                .maxWait(Duration.ofSeconds(2))
                .lease(Duration.ofSeconds(10))
                .withoutRenewal();

        assertThat(plain).isEqualTo(LockRequest.of("order:42"));
        assertThat(changed.name()).isEqualTo("ship");
        LockTerms terms = changed.terms();
        assertThat(terms.maxWait()).contains(Duration.ofSeconds(2));
        assertThat(terms.lease()).contains(Duration.ofSeconds(10));
        assertThat(terms.renewal()).isEqualTo(Renewal.OFF);
        assertThat(changed.withRenewal().terms()).isEqualTo(terms.renewal(Renewal.ON));
        assertThat(changed.withoutWaiting().terms().maxWait()).contains(Duration.ZERO);
    }
}
