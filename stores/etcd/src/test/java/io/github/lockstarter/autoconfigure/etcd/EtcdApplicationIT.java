package io.github.lockstarter.autoconfigure.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.etcd.EtcdLockBackend;
import io.github.lockstarter.etcd.EtcdPresence;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.kit.net.TlsFiles;
import io.github.lockstarter.kit.server.EtcdServer;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application with its locks in a real etcd, or without a running etcd. */
class EtcdApplicationIT {

    /** Nothing listens there. */
    private static final String AWAY = "http://127.0.0.1:9";

    private static EtcdServer server;

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DistributedLockAutoConfiguration.class, EtcdLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=etcd");

    @BeforeAll
    static void startServer() {
        EtcdPresence.assume();
        server = EtcdServer.start("--unsafe-no-fsync");
    }

    @AfterAll
    static void stopServer() {
        if (server != null) {
            server.close();
        }
    }

    private ApplicationContextRunner on(String endpoints) {
        return application.withPropertyValues(
                "distributed-lock.etcd.endpoints=" + endpoints, "distributed-lock.etcd.command-timeout=20s");
    }

    @Test
    void excludesAnotherApplication() {
        on(server.endpoint()).run(one -> on(server.endpoint()).run(other -> {
            try (LockHandle held = one.getBean(LockTemplate.class).acquire("order:42")) {
                assertThat(other.getBean(LockTemplate.class).tryAcquire("order:42"))
                        .isEmpty();
                assertThat(held.fencingToken()).isPositive();
            }
            assertThat(other.getBean(LockTemplate.class).tryAcquire("order:42")).hasValueSatisfying(LockHandle::close);
        }));
    }

    @Test
    void skipsAMemberThatDoesNotAnswer() {
        for (int i = 0; i < 5; i++) { // each begins with any of the two
            on(AWAY + "," + server.endpoint()).run(context -> assertThat(context.getBean(LockTemplate.class)
                            .tryExecute("order:43", () -> true)
                            .wasExecuted())
                    .isTrue());
        }
    }

    @Test
    void startsWhenTheFirstConnectionGetsNoAnswer() {
        try (TcpProxy proxy = TcpProxy.before(server)) {
            proxy.hang();
            CompletableFuture<Void> replaced = CompletableFuture.runAsync(() -> {
                await().until(() -> proxy.connections() > 0);
                proxy.replace();
            });
            application
                    .withPropertyValues("distributed-lock.etcd.endpoints=http://" + proxy.address())
                    .run(context -> assertThat(context).hasNotFailed());
            assertThat(replaced).isCompleted();
        }
    }

    @Test
    void startFailsWithoutEtcdAndSaysWhatToChange() {
        FailureReport.assertThat(application.withPropertyValues("distributed-lock.etcd.endpoints=" + AWAY))
                .contains(
                        "etcd at 127.0.0.1:9 did not answer",
                        "distributed-lock.etcd.endpoints",
                        "distributed-lock.etcd.required-at-start=false");
    }

    @Test
    void startsWithoutEtcdWhenNotRequired() {
        application
                .withPropertyValues(
                        "distributed-lock.etcd.endpoints=" + AWAY, "distributed-lock.etcd.required-at-start=false")
                .run(context -> {
                    assertThat(context).hasNotFailed().hasSingleBean(EtcdLockBackend.class);
                    assertThatExceptionOfType(LockBackendException.class)
                            .isThrownBy(
                                    () -> context.getBean(LockTemplate.class).acquire("order:44"))
                            .withMessageContaining("127.0.0.1:9");
                });
    }

    @Test
    void presentsTheClientCertificateOfItsSslBundle() {
        try (TlsFiles files = TlsFiles.create();
                EtcdServer closed = EtcdServer.startTls(files)) {
            ApplicationContextRunner trusting = application
                    .withConfiguration(AutoConfigurations.of(SslAutoConfiguration.class))
                    .withPropertyValues(
                            "distributed-lock.etcd.endpoints=" + closed.endpoint(),
                            "distributed-lock.etcd.ssl-bundle=etcd",
                            "spring.ssl.bundle.pem.etcd.truststore.certificate=file:" + files.certificate());
            FailureReport.assertThat(trusting).contains("etcd at 127.0.0.1", "distributed-lock.etcd.ssl-bundle");
            trusting.withPropertyValues(
                            "spring.ssl.bundle.pem.etcd.keystore.certificate=file:" + files.certificate(),
                            "spring.ssl.bundle.pem.etcd.keystore.private-key=file:" + files.key())
                    .run(context -> assertThat(context.getBean(LockTemplate.class)
                                    .tryExecute("order:45", () -> true)
                                    .wasExecuted())
                            .isTrue());
        }
    }

    @Test
    void startFailsForAnSslBundleWithoutTls() {
        FailureReport.assertThat(application.withPropertyValues(
                        "distributed-lock.etcd.endpoints=" + server.endpoint(),
                        "distributed-lock.etcd.ssl-bundle=etcd"))
                .contains("distributed-lock.etcd.ssl-bundle", server.endpoint(), "https");
    }
}
