package io.github.lockstarter.redis.failure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.Reachable;
import io.github.lockstarter.StoreEvent.Scope;
import io.github.lockstarter.StoreEvent.Unreachable;
import io.github.lockstarter.redis.connector.StubRedisConnector;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;

class OutageDetectorTests {

    private static final RedisExceptionTranslator FAILURES =
            new RedisExceptionTranslator(new StubRedisConnector(), RedisSettings.DEFAULTS);
    private static final RedisFailure TIMEOUT = FAILURES.ofExecuting(new RedisCommandTimeoutException());
    private static final RedisFailure REFUSED_CONNECTION =
            FAILURES.ofConnecting(new RedisConnectionException("Connection refused"));

    private final List<StoreEvent> heard = new ArrayList<>();
    private final Map<String, String> nodes = new HashMap<>();
    private final OutageDetector outageDetector =
            new OutageDetector("here", key -> Optional.ofNullable(nodes.get(key)), System::nanoTime);

    OutageDetectorTests() {
        outageDetector.reportTo(heard::add);
    }

    private void fails(String key) {
        outageDetector.failed(key, TIMEOUT, outageDetector.epoch());
    }

    @Test
    void areReportedWithTheSecondFailureAndOnce() {
        fails("a");
        assertThat(heard).isEmpty();
        fails("a");
        fails("b");
        assertThat(heard).containsExactly(new Unreachable("Redis at here", Scope.ALL, TIMEOUT.problem()));
        outageDetector.answered("b");
        outageDetector.answered("a");
        assertThat(heard).hasSize(2).last().isInstanceOf(Reachable.class);
    }

    @Test
    void areNotMadeOfCommandsThatWereSentBeforeTheFirstOneFailed() {
        int epoch = outageDetector.epoch();
        for (int i = 0; i < 10; i++) {
            outageDetector.failed("a", TIMEOUT, epoch);
        }
        outageDetector.answered("a");
        assertThat(heard).isEmpty();
    }

    @Test
    void areNotMadeOfFailuresWithAnAnswerInBetween() {
        for (int i = 0; i < 10; i++) {
            fails("a");
            outageDetector.answered("a");
        }
        assertThat(heard).isEmpty();
    }

    @Test
    void areReportedAtOnceWhereNoConnectionCanBeOpened() {
        outageDetector.unconnected("a", REFUSED_CONNECTION, outageDetector.epoch());
        outageDetector.unconnected("a", REFUSED_CONNECTION, outageDetector.epoch());
        assertThat(heard).hasSize(1);
    }

    @Test
    void areNotMadeOfAConnectionThatIsSlowToOpen() {
        RedisFailure slow = FAILURES.ofConnecting(new RedisCommandTimeoutException("not open in time"));
        int epoch = outageDetector.epoch();
        outageDetector.unconnected("a", slow, epoch);
        outageDetector.unconnected("b", slow, epoch);
        assertThat(heard).isEmpty();
        outageDetector.unconnected("a", slow, outageDetector.epoch());
        assertThat(heard).hasSize(1);
    }

    @Test
    void lastWhileTheServerLoadsAndEndWithARefusalThatIsAnAnswer() {
        outageDetector.unconnected("a", REFUSED_CONNECTION, outageDetector.epoch());
        outageDetector.failed("a", refusal("LOADING Redis is loading"), outageDetector.epoch());
        assertThat(heard).hasSize(1);
        outageDetector.failed("a", refusal("NOPERM no"), outageDetector.epoch());
        assertThat(heard).hasSize(2);
    }

    private static RedisFailure refusal(String text) {
        return FAILURES.ofExecuting(new RedisCommandExecutionException(text));
    }

    @Test
    void areNoneOfAClientThatStops() {
        RedisFailure stopped = FAILURES.ofConnecting(new CancellationException("the lock client is stopped"));
        outageDetector.unconnected("a", stopped, outageDetector.epoch());
        outageDetector.failed("a", stopped, outageDetector.epoch());
        assertThat(heard).isEmpty();
    }

    @Test
    void areOfEachNodeOfAClusterAndEndWhenAnotherOneHasItsSlot() {
        nodes.put("a", "node:1");
        nodes.put("b", "node:2");
        outageDetector.unconnected("a", REFUSED_CONNECTION, outageDetector.epoch());
        outageDetector.answered("b");
        assertThat(heard).containsExactly(new Unreachable("Redis at node:1", Scope.PART, REFUSED_CONNECTION.problem()));
        nodes.put("a", "node:2");
        outageDetector.answered("b");
        assertThat(heard).hasSize(2).last().satisfies(event -> assertThat(event.store())
                .isEqualTo("Redis at node:1"));
    }

    @Test
    void reportTheEndAloneWhereTheBeginIsReportedOtherwise() {
        outageDetector.reportedOtherwise(true);
        outageDetector.unconnected("a", REFUSED_CONNECTION, outageDetector.epoch());
        outageDetector.reportedOtherwise(false);
        fails("a");
        assertThat(heard).isEmpty();
        outageDetector.answered("a");
        assertThat(heard).singleElement().isInstanceOf(Reachable.class);
    }
}
