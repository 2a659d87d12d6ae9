package io.github.lockstarter.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.StubRedisConnector;
import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.history.ClientHistories;
import io.github.lockstarter.redis.history.ServerHistory;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSettings.FirstUse;
import io.github.lockstarter.redis.settings.RedisSettings.Guard;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A lock of a cluster whose slot is being moved, so that its marker may be on another server. */
class RenewScriptTests {

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final RenewCommand COMMAND = new RenewCommand("order:42", new LockToken("a", 1), LEASE, 7, 0);

    private static final List<Object> ABSENT = List.of("0", "", "", 0L);

    private static final RedisFailure TRYAGAIN = new RedisExceptionTranslator(
                    new StubRedisConnector(), RedisSettings.DEFAULTS)
            .ofError("TRYAGAIN Multiple keys request during rehashing of slot");

    private final KeySpace keySpace = new KeySpace("lock:");
    private final RedisConnector cluster = mock(RedisConnector.class);

    RenewScriptTests() {
        when(cluster.isCluster()).thenReturn(true);
    }

    @Test
    void omitsTheMarkerOnceTheServerRefusedIt() {
        ClientHistories histories = histories(Duration.ZERO);
        assertThat(keysOfNext(histories)).isEqualTo(3);

        assertThat(batch(histories).failed(TRYAGAIN)).containsExactly(new RenewResult.Deferred(Duration.ZERO));
        assertThat(keysOfNext(histories)).isEqualTo(1);
    }

    @Test
    void aLockThatIsNotFoundWithoutTheMarkerIsNotLost() {
        ClientHistories histories = histories(Duration.ZERO);
        histories.ofKey("order:42").noteSlotMigration();
        assertThat(batch(histories).of(ABSENT, false)).singleElement().isInstanceOf(RenewResult.Unknown.class);
    }

    /** The answer may arrive while another request with the marker is under way. */
    @Test
    void interpretsAReplyByTheMarkerOfItsOwnRequest() {
        ServerHistory history = mock(ServerHistory.class);
        when(history.terms()).thenReturn(ServerHistory.Terms.of(LEASE, Duration.ZERO, FirstUse.GRANT));
        when(history.isSlotMigrating()).thenReturn(true);
        ClientHistories histories = mock(ClientHistories.class);
        when(histories.isPerSlot()).thenReturn(true);
        when(histories.ofKey("order:42")).thenReturn(history);

        RenewScript.Batch unmarked = batch(histories);
        when(history.isSlotMigrating()).thenReturn(false);
        assertThat(unmarked.of(ABSENT, false)).singleElement().isInstanceOf(RenewResult.Unknown.class);
    }

    @Test
    void aLockThatIsNotFoundWithTheMarkerIsLost() {
        ClientHistories histories = histories(Duration.ZERO);
        RenewScript.Batch marked = batch(histories);
        histories.ofKey("order:42").noteSlotMigration(); // by another renewal
        assertThat(marked.of(ABSENT, false)).containsExactly(new RenewResult.NotHeld());
    }

    /** Otherwise it would be repeated at once, endlessly. */
    @Test
    void failsWhenTheServerRefusesItWithoutTheMarker() {
        ClientHistories histories = histories(Duration.ZERO);
        histories.ofKey("order:42").noteSlotMigration();
        assertThat(batch(histories).failed(TRYAGAIN)).singleElement().isInstanceOf(RenewResult.Unknown.class);
    }

    @Test
    void alwaysSendsTheMarkerWhenThereIsAQuietPeriod() {
        ClientHistories histories = histories(Duration.ofSeconds(3));
        assertThat(batch(histories).failed(TRYAGAIN)).singleElement().isInstanceOf(RenewResult.Unknown.class);
        assertThat(keysOfNext(histories)).isEqualTo(3);
    }

    private ClientHistories histories(Duration deposedMasterWrites) {
        return new ClientHistories(
                keySpace, cluster, new Guard(LEASE, FirstUse.GRANT, deposedMasterWrites), key -> Optional.empty());
    }

    private int keysOfNext(ClientHistories histories) {
        String sent = batch(histories).call().bySha().getArgs().toCommandString();
        return Integer.parseInt(sent.split(" ", -1)[1]);
    }

    private RenewScript.Batch batch(ClientHistories histories) {
        RedisExceptionTranslator failures =
                new RedisExceptionTranslator(new StubRedisConnector(), RedisSettings.DEFAULTS);
        RenewScript script = new RenewScript(mock(ScriptRunner.class), keySpace, histories, failures);
        return script.new Batch(List.of(COMMAND));
    }
}
