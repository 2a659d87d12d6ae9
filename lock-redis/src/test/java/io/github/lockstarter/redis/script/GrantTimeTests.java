package io.github.lockstarter.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.script.AcquireScript.Answer;
import io.github.lockstarter.redis.script.AcquireScript.Reply;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.GrantTime;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** Which time a grant counts from, and what a lock that is kept is taken for. */
class GrantTimeTests {

    private final Answer answer = new Answer(new KeySpace("lock:").keysOf("order:42"), null);

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
        assertThat(answer.of(new Reply(Reply.GRANTED, 500, 0, "", "", OptionalLong.empty())))
                .isEqualTo(new AcquireResult.Granted(500, 0));
    }

    @Test
    void takesWhatIsKeptForALockWithoutAHolder() {
        assertThat(answer.of(new Reply(Reply.CONTENDED, 900, 7).heldBy("%kept")))
                .isEqualTo(new Contended(Optional.of(Duration.ofMillis(900)), 7, Optional.empty(), true));
    }
}
