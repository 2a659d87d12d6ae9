package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.Reachable;
import io.github.lockstarter.StoreEvent.Scope;
import io.github.lockstarter.StoreEvent.Unreachable;
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

class OutagesTests {

    private static final FailureReader FAILURES = new FailureReader(new StubRedisConnector(), RedisSettings.DEFAULTS);
    private static final RedisFailure TIMEOUT = FAILURES.ofExecuting(new RedisCommandTimeoutException());
    private static final RedisFailure REFUSED_CONNECTION =
            FAILURES.ofConnecting(new RedisConnectionException("Connection refused"));

    private final List<StoreEvent> heard = new ArrayList<>();
    private final Map<String, String> nodes = new HashMap<>();
    private final Outages outages = new Outages("here", key -> Optional.ofNullable(nodes.get(key)));

    OutagesTests() {
        outages.reportTo(heard::add);
    }

    private void fails(String key) {
        outages.failed(key, TIMEOUT, outages.epoch());
    }

    @Test
    void areReportedWithTheSecondFailureAndOnce() {
        fails("a");
        assertThat(heard).isEmpty();
        fails("a");
        fails("b");
        assertThat(heard).containsExactly(new Unreachable("Redis at here", Scope.ALL, TIMEOUT.problem()));
        outages.answered("b");
        outages.answered("a");
        assertThat(heard).hasSize(2).last().isInstanceOf(Reachable.class);
    }

    @Test
    void areNotMadeOfCommandsThatWereSentBeforeTheFirstOneFailed() {
        int epoch = outages.epoch();
        for (int i = 0; i < 10; i++) {
            outages.failed("a", TIMEOUT, epoch);
        }
        outages.answered("a");
        assertThat(heard).isEmpty();
    }

    @Test
    void areNotMadeOfFailuresWithAnAnswerInBetween() {
        for (int i = 0; i < 10; i++) {
            fails("a");
            outages.answered("a");
        }
        assertThat(heard).isEmpty();
    }

    @Test
    void areReportedAtOnceWhereNoConnectionCanBeOpened() {
        outages.unconnected("a", REFUSED_CONNECTION, outages.epoch());
        outages.unconnected("a", REFUSED_CONNECTION, outages.epoch());
        assertThat(heard).hasSize(1);
    }

    @Test
    void areNotMadeOfAConnectionThatIsSlowToOpen() {
        RedisFailure slow = FAILURES.ofConnecting(new RedisCommandTimeoutException("not open in time"));
        int epoch = outages.epoch();
        outages.unconnected("a", slow, epoch);
        outages.unconnected("b", slow, epoch);
        assertThat(heard).isEmpty();
        outages.unconnected("a", slow, outages.epoch());
        assertThat(heard).hasSize(1);
    }

    @Test
    void lastWhileTheServerLoadsAndEndWithARefusalThatIsAnAnswer() {
        outages.unconnected("a", REFUSED_CONNECTION, outages.epoch());
        outages.failed("a", refusal("LOADING Redis is loading"), outages.epoch());
        assertThat(heard).hasSize(1);
        outages.failed("a", refusal("NOPERM no"), outages.epoch());
        assertThat(heard).hasSize(2);
    }

    private static RedisFailure refusal(String text) {
        return FAILURES.ofExecuting(new RedisCommandExecutionException(text));
    }

    @Test
    void areNoneOfAClientThatStops() {
        RedisFailure stopped = FAILURES.ofConnecting(new CancellationException("the lock client is stopped"));
        outages.unconnected("a", stopped, outages.epoch());
        outages.failed("a", stopped, outages.epoch());
        assertThat(heard).isEmpty();
    }

    @Test
    void areOfEachNodeOfAClusterAndEndWhenAnotherOneHasItsSlot() {
        nodes.put("a", "node:1");
        nodes.put("b", "node:2");
        outages.unconnected("a", REFUSED_CONNECTION, outages.epoch());
        outages.answered("b");
        assertThat(heard).containsExactly(new Unreachable("Redis at node:1", Scope.PART, REFUSED_CONNECTION.problem()));
        nodes.put("a", "node:2");
        outages.answered("b");
        assertThat(heard).hasSize(2).last().satisfies(event -> assertThat(event.store())
                .isEqualTo("Redis at node:1"));
    }

    @Test
    void reportTheEndAloneWhereTheBeginIsReportedOtherwise() {
        outages.reportedOtherwise(true);
        outages.unconnected("a", REFUSED_CONNECTION, outages.epoch());
        outages.reportedOtherwise(false);
        fails("a");
        assertThat(heard).isEmpty();
        outages.answered("a");
        assertThat(heard).singleElement().isInstanceOf(Reachable.class);
    }
}
