package io.github.lockstarter.redis.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.AdditionalAnswers.delegatesTo;
import static org.mockito.Mockito.doReturn;
import static org.mockito.Mockito.mock;

import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.StubRedisConnector;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.UnknownHostException;
import java.nio.channels.ClosedChannelException;
import java.util.concurrent.CancellationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures whose messages say nothing, or concern another server. */
class RedisExceptionTranslatorTests {

    private final RedisExceptionTranslator failures =
            new RedisExceptionTranslator(new StubRedisConnector(), RedisSettings.DEFAULTS);

    @Test
    void omitsAMissingMessage() {
        assertThat(failures.ofExecuting(new CancellationException()).reason())
                .startsWith("The connection to Redis at stub:1 broke before the answer came. ")
                .doesNotContain("null");
        assertThat(failures.ofConnecting(new CancellationException()).reason()).doesNotContain("null");
        assertThat(failures.ofConnecting(new RedisConnectionException("no", new ClosedChannelException()))
                        .reason())
                .contains("the server closed the connection (ClosedChannelException)")
                .doesNotContain("null");
        assertThat(failures.ofConnecting(new IllegalStateException()).reason())
                .contains("Could not connect to Redis at stub:1: IllegalStateException")
                .doesNotContain("null");
    }

    @Test
    void readsTheReplyOfOneOfSeveralServers() {
        RedisException none = new RedisException("no server answers as a master");
        none.addSuppressed(new RedisConnectionException("Connection refused"));
        none.addSuppressed(
                new RedisCommandExecutionException("NOPERM User u has no permissions to run the 'role' command"));
        assertThat(failures.ofConnecting(none).problem()).contains("no permissions to run the 'role' command");
        assertThat(failures.ofConnecting(none).remedy()).contains("ACL SETUSER <user> +role ");
    }

    /** A node of a cluster in a container announces an address that only other containers reach. */
    @Test
    void namesTheServerThatTheConfiguredOneNames() {
        RedisConnector cluster = mock(RedisConnector.class, delegatesTo(new StubRedisConnector()));
        doReturn(true).when(cluster).isCluster();
        RedisExceptionTranslator ofCluster = new RedisExceptionTranslator(cluster, RedisSettings.DEFAULTS);
        assertThat(ofCluster.ofConnecting(refusedBy("/127.0.0.9:1")).reason())
                .startsWith(
                        "Could not connect to Redis at stub:1: it names a server at 127.0.0.9:1, which this machine "
                                + "cannot reach: Connection refused")
                .contains("cluster-announce-ip");
        assertThat(ofCluster.ofConnecting(refusedBy("stub/10.0.0.1:1")).reason())
                .contains("Start Redis there");
        assertThat(ofCluster.ofConnecting(refusedBy("/[0:0:0:0:0:0:0:1]:1")).reason())
                .contains("Start Redis there");
    }

    /** The message has the address in another notation, such as that of ::1 or 127.1. */
    @Test
    void aServerThatStandsAloneNamesNoOther() {
        assertThat(failures.ofConnecting(refusedBy("/127.0.0.9:1")).reason()).contains("Start Redis there");
    }

    @Test
    void namesTheLimitOfConnections() {
        RedisException refused = new RedisConnectionException(
                "no", new RedisCommandExecutionException("ERR max number of clients reached"));
        assertThat(failures.ofConnecting(refused).remedy()).startsWith("Raise maxclients of the server");
    }

    /** As Netty's exceptions. */
    @Test
    void namesAHostThatIsUnknown() {
        UnknownHostException unknown = new UnknownHostException("Failed to resolve 'redis' [A(1), AAAA(28)]");
        unknown.initCause(new IOException("Query failed with NXDOMAIN"));
        assertThat(failures.ofConnecting(new RedisConnectionException("Unable to connect", unknown))
                        .reason())
                .contains("a host name is unknown here: Failed to resolve 'redis' [A(1), AAAA(28)]")
                .contains(" to names that are known here; outside of a container network")
                .doesNotContain("Start Redis");
    }

    /** As Netty's exceptions. */
    private static RedisConnectionException refusedBy(String address) {
        ConnectException annotated = new ConnectException("Connection refused: " + address);
        annotated.initCause(new ConnectException("Connection refused"));
        return new RedisConnectionException("Unable to connect", annotated);
    }

    /** 6379 instead of 26379. The texts are those of Redis 7 and 6. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "ERR unknown command 'SENTINEL', with args beginning with: 'get-master-addr-by-name' 'mymaster' ",
                "ERR unknown command `SENTINEL`, with args beginning with: `get-master-addr-by-name`, `mymaster`, "
            })
    void namesTheNodesOfSentinelsThatAreNone(String reply) {
        assertThat(failures.ofConnecting(new RedisCommandExecutionException(reply))
                        .remedy())
                .isEqualTo("This server is no sentinel: set spring.data.redis.sentinel.nodes to the sentinels, usually"
                        + " at port 26379");
    }

    @ParameterizedTest
    @ValueSource(strings = {"RedisHandshakeHandler not registered", "Connection closed prematurely"})
    void suspectsTheLoginWhenTheClientHidesTheReasonOfARefusal(String lost) {
        RedisException refused = new RedisConnectionException("Unable to connect", new IllegalStateException(lost));
        assertThat(failures.ofConnecting(refused).reason())
                .contains("the server closed the connection (" + lost + ")", "spring.data.redis.password");
    }

    /** As documented by the services; the scripts may have written before Lua itself fails. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "UNKNOWN | ERR user_script:9: attempt to call field 'x' (a nil value) | lacks a function of Redis",
                "NONE | ERR bad lua script for redis cluster, all the keys that the script uses should be passed using"
                        + " the KEYS array | script_check_enable to 0",
                "NONE | ERR eval/evalsha command keys must be in same slot | restart all instances",
                "NONE | CROSSSLOT Keys in request don't hash to the same slot | restart all instances",
                "NOT_YET | MOVED 1 10.0.0.1:6379 | set spring.data.redis.cluster.nodes",
                "NONE | ERR command eval not support for normal user | turn Lua on",
                "NONE | ERR unknown command `ZCARD` | The server has no ZCARD: remove its rename-command",
                "NONE | ERR syntax error | Locks need the commands of Redis 6"
            })
    void tellsWhatTheServerLacks(RedisFailure.FailureEffect effect, String reply, String remedy) {
        RedisFailure failure = failures.ofExecuting(new RedisCommandExecutionException(reply));
        assertThat(failure.effect()).isEqualTo(effect);
        assertThat(failure.remedy()).contains(remedy);
    }

    @Test
    void endsASentenceWithOneFullStop() {
        assertThat(failures.ofExecuting(new RedisCommandExecutionException("LOADING Redis is loading the dataset."))
                        .reason())
                .contains("refused: LOADING Redis is loading the dataset. The server is still loading");
    }
}
