package io.github.lockstarter.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.redis.connector.StubRedisConnector;
import io.github.lockstarter.redis.history.ServerHistory;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.script.AcquireScript.Answer;
import io.github.lockstarter.redis.script.AcquireScript.Reply;
import io.github.lockstarter.redis.settings.RedisSettings.FirstUse;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.GrantTime;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseCommand.Keep;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Which time a grant counts from, and what a lock that is kept is taken for. */
class GrantTimeTests {

    private final Answer answer = Answer.to(
            new KeySpace("lock:").keysOf("order:42"),
            new ServerHistory("lock:history", ServerHistory.Terms.of(Duration.ZERO, Duration.ZERO, FirstUse.GRANT)));

    private Optional<GrantTime> timeOf(long fencingToken, long micros) {
        Reply reply = new Reply(Reply.GRANTED, fencingToken, 0).at(micros);
        return ((AcquireResult.Granted) answer.of(reply)).grantTime();
    }

    @Test
    void isTheTimeOfTheServer() {
        assertThat(timeOf(500, 500)).contains(new RedisGrantTime(500));
    }

    @Test
    void isNotLaterThanTheFirstFencingTokenWhereTheCommandWasRepeated() {
        assertThat(timeOf(500, 2_000_500)).contains(new RedisGrantTime(500));
    }

    @Test
    void isTheTimeOfTheServerWhereFencingTokensAreAheadOfIt() {
        assertThat(timeOf(9_000_500, 500)).contains(new RedisGrantTime(500));
    }

    @Test
    void isNotKnownWhereItWasNotAskedFor() {
        assertThat(answer.of(new Reply(Reply.GRANTED, 500, 0, "", "", "", OptionalLong.empty())))
                .isEqualTo(new AcquireResult.Granted(500, 0));
    }

    /** By the server's note, a token may be 20 ms behind the clock. A minimum time must not end too soon. */
    @Test
    void isTwentyMillisecondsAfterTheFencingTokenWhereItIsNotKnown() {
        assertThat(grantedAt(Optional.empty())).isEqualTo("1795389832754445");
        assertThat(grantedAt(Optional.of(new RedisGrantTime(1_795_389_832_740_000L))))
                .isEqualTo("1795389832740000");
    }

    private static String grantedAt(Optional<GrantTime> time) {
        ReleaseCommand command = new ReleaseCommand(
                "order:42",
                new LockToken("a", 1),
                1_795_389_832_734_445L,
                Optional.empty(),
                Optional.of(new Keep(Duration.ofMillis(800), time)));
        ReleaseScript script = new ReleaseScript(new KeySpace("lock:"), new StubRedisConnector());
        String sent = script.release(command).bySha().getArgs().toCommandString();
        byte[] last = Base64.getDecoder().decode(sent.substring(sent.lastIndexOf(' ') + 1)); // as Lettuce shows bytes
        return new String(last, StandardCharsets.UTF_8);
    }

    @Test
    void takesWhatIsKeptForALockWithoutAHolder() {
        assertThat(answer.of(new Reply(Reply.CONTENDED, 900, 7).heldBy("%kept")))
                .isEqualTo(new Contended(Optional.of(Duration.ofMillis(900)), 7, Optional.empty(), true));
    }
}
