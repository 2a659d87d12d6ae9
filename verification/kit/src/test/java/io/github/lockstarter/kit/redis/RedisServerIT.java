package io.github.lockstarter.kit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("full")
class RedisServerIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private final RedisServer server = REDIS.server();

    @Test
    void answersNothingWhilePausedAndKeepsItsData() {
        server.commands().set("a", "1");
        server.pause();
        assertThat(server.answers()).isFalse();
        server.resume();
        assertThat(server.commands().get("a")).isEqualTo("1");
    }

    @Test
    void restartsOnTheSamePortWithoutDataAfterAKill() {
        int port = server.port();
        server.commands().set("a", "1");
        server.kill();
        assertThat(server.answers()).isFalse();

        server.restart();

        assertThat(server.port()).isEqualTo(port);
        assertThat(server.commands().get("a")).isNull();
    }

    @Test
    void restartsWithItsDataWhenAppendOnly() {
        try (RedisServer durable = RedisServer.start("--appendonly", "yes", "--appendfsync", "always")) {
            durable.commands().set("a", "1");
            durable.kill();
            durable.restart();
            assertThat(durable.commands().get("a")).isEqualTo("1");
        }
    }

    @Test
    void isResetForEveryTest() {
        server.commands().set("a", "1");
        server.requirePassword("secret");
        server.stop();

        server.reset();

        assertThat(server.commands().get("a")).isNull();
        assertThat(pingAs(server.uri())).isEqualTo("PONG");
    }

    @Test
    void restrictsTheDefaultUserButNotTheFixture() {
        server.grantDefaultUser("-@all", "+hello", "+ping");

        try (RedisClient client = RedisClient.create(server.uri())) {
            var commands = client.connect().sync();
            assertThatThrownBy(() -> commands.set("a", "1")).hasMessageContaining("NOPERM");
        }
        assertThat(server.commands().set("a", "1")).isEqualTo("OK");
    }

    @Test
    void countsOnlyTheNetworkReadsOfAnAction() {
        assertThat(server.readsDuring(() -> {})).isZero();
        assertThat(server.readsDuring(() -> server.commands().set("a", "1"))).isEqualTo(1);
    }

    @Test
    void endsWhenTheJvmThatStartedItIsKilled() {
        try (ChildJvm child = ChildJvm.start(Starter.class)) {
            int port = Integer.parseInt(child.awaitLine(line -> line.matches("\\d+"), Patience.TIME));
            assertThat(isListening(port)).isTrue();

            child.kill();

            await().atMost(Patience.TIME).until(() -> !isListening(port));
        }
    }

    private static boolean isListening(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return socket.isConnected();
        } catch (IOException e) {
            return false;
        }
    }

    private static String pingAs(RedisURI uri) {
        uri.setTimeout(Duration.ofSeconds(2));
        try (RedisClient client = RedisClient.create(uri)) {
            return client.connect().sync().ping();
        }
    }

    /** Starts a server and waits to be killed. */
    static final class Starter {
        // Only its guard may end the server.
        @SuppressWarnings("resource")
        public static void main(String[] arguments) {
            System.out.println(RedisServer.start().port());
            while (true) {
                LockSupport.park();
            }
        }
    }
}
