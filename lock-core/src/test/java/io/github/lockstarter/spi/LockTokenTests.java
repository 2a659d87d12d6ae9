package io.github.lockstarter.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHolder;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LockTokenTests {

    private static final String ID = "0123456789abcdef0123456789abcdef";
    private static final long SINCE = 1_700_000_000_123L;

    private static LockToken token(String owner) {
        return new LockToken(ID, 7, owner, SINCE, 0, TakeoverCondition.NONE);
    }

    @Test
    void theStoredTextNamesTheOwner() {
        assertThat(new LockToken(ID, 7).value()).isEqualTo(ID + ":7");
        assertThat(token("http-1").value()).isEqualTo(ID + ":7|1700000000123 http-1");
    }

    @Test
    void theHolderShowsTheOwnerButNotTheToken() {
        LockHolder holder = token("http-1").holder();

        assertThat(holder)
                .isEqualTo(new LockHolder("01234567", Optional.of("http-1"), Optional.of(Instant.ofEpochMilli(SINCE))));
        assertThat(LockToken.holderOf("01234567|1700000000123 http-1")).isEqualTo(holder);
        assertThat(LockToken.holderOf(ID + "|1700000000123 http-1")).isEqualTo(holder);
        assertThat(LockToken.holderOf(ID + ":7|1700000000123 http-1")).isEqualTo(holder);
        assertThat(token("http-1").toString()).doesNotContain("0123", "http");
    }

    @Test
    void theHolderHasNoOwnerWhenTheTokenHasNone() {
        assertThat(new LockToken(ID, 7).tellsOwner()).isFalse();
        assertThat(new LockToken(ID, 7).holder()).isEqualTo(new LockHolder("01234567"));
        assertThat(LockToken.holderOf("01234567")).isEqualTo(new LockHolder("01234567"));
        LockHolder unnamed = new LockHolder("01234567", Optional.empty(), Optional.of(Instant.ofEpochMilli(SINCE)));
        assertThat(token("").holder()).isEqualTo(unnamed);
        assertThat(LockToken.holderOf("01234567|1700000000123")).isEqualTo(unnamed);
        assertThat(LockToken.holderOf("01234567|1700000000123 ")).isEqualTo(unnamed);
    }

    @Test
    void theHolderShowsTheHostOfTheInstance() {
        LockToken token = new LockToken(
                ID, 7, LockToken.ownerAt("worker @coroutine#2", "pod-7/orders"), SINCE, 1_000, TakeoverCondition.NONE);

        assertThat(token.value()).isEqualTo(ID + ":7|1700000000123 worker @coroutine#2@pod-7/orders|1000");
        LockHolder holder = LockToken.holderOf(token.value());
        assertThat(holder).isEqualTo(token.holder());
        assertThat(holder.owner()).hasValue("worker @coroutine#2");
        assertThat(holder.host()).hasValue("pod-7");
        assertThat(holder.application()).hasValue("orders");
        assertThat(holder.instanceText()).isEqualTo("01234567 (pod-7/orders)");
    }

    @Test
    void storesTheReplicasAfterTheTakeoverTime() {
        LockToken token = new LockToken(ID, 7, "", 0, 1_000, TakeoverCondition.ACKNOWLEDGED_BY_REPLICAS);

        assertThat(token.value()).isEqualTo(ID + ":7||1000+");
        assertThat(LockToken.holderOf(ID + "||1000+")).isEqualTo(new LockHolder("01234567"));
    }

    /** The column of a database has room for 160 characters. */
    @Test
    void limitsTheLengthOfTheOwnerAndItsHost() {
        String owner = LockToken.ownerAt("x".repeat(100), "y".repeat(100));
        assertThat(new LockToken(ID, Long.MAX_VALUE, owner, SINCE, 31_536_000_000L, TakeoverCondition.NONE).value())
                .hasSizeLessThanOrEqualTo(160)
                .contains("x@y");
    }

    @Test
    void doesNotMistakeAPartOfAThreadNameForAHost() {
        LockHolder holder = token(LockToken.ownerAt("worker @coroutine#2", "")).holder();
        assertThat(holder.owner()).hasValue("worker @coroutine#2");
        assertThat(holder.host()).isEmpty();
        assertThat(holder.instanceText()).isEqualTo("01234567");
    }

    @Test
    void shortensALongNameAtItsBeginning() {
        String name = "org.springframework.kafka.KafkaListenerEndpointContainer#0-0-C-1";
        assertThat(token(name).owner())
                .hasSize(LockToken.LONGEST_OWNER)
                .isEqualTo(name.substring(name.length() - LockToken.LONGEST_OWNER));
    }

    @Test
    void theOwnerIsStoredAsPrintableAsciiWithoutSeparators() {
        assertThat(token("a:b|c\r\nd\u001b[31m ü~").value()).isEqualTo(ID + ":7|1700000000123 a?b?c??d?[31m ?~");
    }

    @Test
    void readsTextsThatOtherClientsWrote() {
        assertThat(LockToken.holderOf("|")).isEqualTo(new LockHolder("?"));
        assertThat(LockToken.holderOf("01234567|99999999999999999999 x").since())
                .isEmpty();
        assertThat(LockToken.holderOf("01234567|17 \u001b[31m\n|x:" + "y".repeat(1_000))
                        .owner())
                .hasValue("y".repeat(LockToken.LONGEST_OWNER));
        assertThat(LockToken.holderOf("01234567|999999999999999 x").since()).isPresent();
    }

    @Test
    void computesTheSameFingerprintAsRedis() {
        // redis-cli EVAL "return redis.sha1hex(ARGV[1])" 0 a:1
        assertThat(new LockToken("a", 1).fingerprint()).isEqualTo("de89bfaf06245091a7873290a793604612302247");
        assertThat(new LockToken("a", 2).fingerprint()).isNotEqualTo(new LockToken("a", 1).fingerprint());
    }
}
