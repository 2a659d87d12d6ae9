package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.kit.net.TlsFiles;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.kit.redis.RedisServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/**
 * An application whose properties lead to the wrong port, database or protocol does not start, and says which one to
 * change.
 */
class WrongServerIT {

    private static final String START_ANYWAY = "distributed-lock.redis.required-at-start=false";

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static TlsFiles files;
    private static RedisServer tls;

    @BeforeAll
    static void startTls() {
        files = TlsFiles.create();
        tls = RedisServer.startTls(files);
    }

    @AfterAll
    static void stopTls() {
        tls.close();
        files.close();
    }

    @Test
    void namesTheDatabaseThatTheServerDoesNotHave() {
        assertThatReport("port=" + REDIS.server().port(), "database=33")
                .contains("DB index is out of range", "Set spring.data.redis.database to")
                .doesNotContain("EVALSHA");
    }

    @Test
    void saysThatTheServerIsNoCluster() {
        assertThatReport("cluster.nodes=localhost:" + REDIS.server().port())
                .contains(
                        "cluster support disabled",
                        "This server is no cluster: set spring.data.redis.host and port instead of"
                                + " spring.data.redis.cluster.nodes")
                .doesNotContain("EVALSHA");
    }

    @Test
    void saysThatTheCertificateIsNotTrusted() {
        assertThatReport("port=" + tls.tlsPort(), "ssl.enabled=true")
                .contains("certificate is not accepted", "spring.data.redis.ssl.bundle", "truststore.certificate");
    }

    @Test
    void saysThatTheServerExpectsTls() {
        assertThatReport("port=" + tls.tlsPort())
                .contains(
                        "the server closed the connection",
                        "If the port speaks TLS",
                        "spring.data.redis.ssl.enabled=true");
    }

    @Test
    void saysThatTheServerDoesNotSupportTls() {
        assertThatReport(application("port=" + REDIS.server().port(), "ssl.enabled=true")
                        .withPropertyValues("distributed-lock.redis.command-timeout=500ms"))
                .contains("no answer within 500ms, with TLS", "spring.data.redis.ssl.enabled=false");
    }

    @Test
    void saysThatTheServerSpeaksHttp() throws IOException {
        try (ServerSocket server = http()) {
            assertThatReport("port=" + server.getLocalPort())
                    .contains("does not speak the protocol of Redis: it begins with 'H'", "spring.data.redis.port");
            assertThatReport("port=" + server.getLocalPort(), "ssl.enabled=true")
                    .contains("does not speak TLS", "spring.data.redis.ssl.enabled=false");
        }
    }

    @Test
    void theMessageIsShorterAtRunTimeThanAtStartup() {
        application("port=9").withPropertyValues(START_ANYWAY).run(context -> {
            assertThat(context).hasNotFailed();
            LockTemplate locks = context.getBean(LockTemplate.class);
            assertThatExceptionOfType(LockBackendException.class)
                    .isThrownBy(() -> locks.acquire("order:42"))
                    .satisfies(e -> assertThat(e.getMessage())
                            .contains("'order:42'", "Could not connect to Redis at localhost:9", "refused")
                            .doesNotContain("spring.data.redis", "null")
                            .hasSizeLessThan(200));
        });
    }

    /** Whatever required-at-start says: such a server answers, and grants locks that another master grants too. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void doesNotStartOnOneOfSeveralMasters(boolean required) {
        String text = "# Clients\r\nconnected_clients:";
        assumeThat(RedisServer.hasText(text)).isTrue();
        try (RedisServer server = RedisServer.startAltered(text, "# CRDT \r\ncrdt_config_version:")) {
            application("port=" + server.port())
                    .withPropertyValues("distributed-lock.redis.required-at-start=" + required)
                    .run(context -> {
                        assertThat(context).hasFailed();
                        assertThat(FailureReport.of(context.getStartupFailure()))
                                .contains(
                                        "is one of several masters",
                                        "set distributed-lock.redis.active-active=false if all instances use this")
                                .doesNotContain(START_ANYWAY);
                    });
        }
    }

    @Test
    void doesNotStartOnShardsWithTheKeysOfOneServer() {
        try (RedisServer shards = RedisServer.start("--cluster-enabled", "yes")) {
            shards.serveAllSlots();
            application("port=" + shards.port()).run(context -> {
                assertThat(context).hasNotFailed();
                context.getBean(LockTemplate.class).acquire("order:42").close();
            });
            assertThatReport(application("port=" + shards.port())
                            .withPropertyValues("distributed-lock.redis.key-layout=standalone"))
                    .contains(
                            "distributed-lock.redis.key-layout is standalone, but Redis at localhost:" + shards.port()
                                    + " keeps keys with different hash tags on different shards",
                            "Remove key-layout");
        }
    }

    private static AbstractStringAssert<?> assertThatReport(String... properties) {
        return assertThatReport(application(properties));
    }

    private static AbstractStringAssert<?> assertThatReport(ApplicationContextRunner application) {
        String[] report = new String[1];
        application.run(context -> {
            assertThat(context).hasFailed();
            report[0] = FailureReport.of(context.getStartupFailure());
        });
        return assertThat(report[0]).contains(START_ANYWAY).doesNotContain("null");
    }

    private static ApplicationContextRunner application(String... properties) {
        ApplicationContextRunner application = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        SslAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class,
                        RedisLockAutoConfiguration.class))
                .withPropertyValues(
                        RedisApplication.PATIENT,
                        "spring.ssl.bundle.pem.redis.truststore.certificate=file:" + files.certificate());
        for (String property : properties) {
            application = application.withPropertyValues("spring.data.redis." + property);
        }
        return application;
    }

    /** Answers whatever it is sent as a web server does. */
    private static ServerSocket http() throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        CompletableFuture.runAsync(() -> {
            while (!server.isClosed()) {
                try (Socket client = server.accept()) {
                    int unused = client.getInputStream().read();
                    client.getOutputStream()
                            .write("HTTP/1.1 400 Bad Request\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    // Closing with unread input resets the connection, and the client may not see the answer.
                    client.getInputStream().transferTo(OutputStream.nullOutputStream());
                } catch (IOException e) {
                    // The client has disconnected, or the test is over.
                }
            }
        });
        return server;
    }
}
