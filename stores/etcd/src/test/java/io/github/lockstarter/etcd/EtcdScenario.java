package io.github.lockstarter.etcd;

import static io.github.lockstarter.kit.Patience.answer;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.KeyValue;
import io.etcd.jetcd.api.TxnRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.server.EtcdServer;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.testing.WarmUp;
import io.grpc.Deadline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;

/** Common parts of tests with their own server. */
@Timeout(600)
abstract class EtcdScenario {

    static final Duration LEASE = Duration.ofSeconds(60);

    /** For commands that get no answer; others are repeated until one is in time. */
    static final Duration HASTY = Duration.ofSeconds(1);

    final String key = "scenario:" + UUID.randomUUID();
    private final List<AutoCloseable> opened = new ArrayList<>();
    private final AtomicLong sequence = new AtomicLong();
    private final String instanceId = UUID.randomUUID().toString().replace("-", "");
    EtcdServer server;
    EtcdStore store;
    EtcdClient client;

    @BeforeAll
    static void needsAnEtcd() {
        EtcdPresence.assume();
    }

    @BeforeEach
    void startServer() {
        server = EtcdServer.start(Stream.concat(Stream.of("--unsafe-no-fsync"), Stream.of(serverArguments()))
                .toArray(String[]::new));
        store = new EtcdStore(server);
        client = new EtcdClient(EtcdStore.settings(server.endpoint()), Runnable::run);
    }

    /** Arguments of the server besides its ports. */
    String[] serverArguments() {
        return new String[0];
    }

    @AfterEach
    void closeAll() throws Exception {
        for (AutoCloseable each : opened) {
            each.close();
        }
        client.close();
        store.close();
        server.close();
    }

    Application newApplication(EngineSettings settings) {
        Application application = Application.over(store.connect(), settings);
        opened.add(application);
        WarmUp.connect(application.locks(), key + ":warm-up");
        return application;
    }

    /** A backend that has sent its first command. */
    LockBackend connected() {
        return connected(store.connect());
    }

    LockBackend connected(LockBackend backend) {
        answer(backend.inspect(key, 0));
        return backend;
    }

    LockToken newToken() {
        return new LockToken(instanceId, sequence.incrementAndGet());
    }

    AcquireCommand attempt(LockToken token) {
        return new AcquireCommand(key, token, LEASE, 0, 1, Optional.empty());
    }

    KeyValue storedLock() {
        return answer(client.read(new KeyNames(EtcdStore.PREFIX).lock(key), deadline()))
                .orElseThrow();
    }

    /** How many keys the server has. */
    long keys() {
        return keys(client);
    }

    static long keys(EtcdClient client) {
        TxnRequest all = TxnRequest.newBuilder()
                .addSuccess(Requests.count(ByteString.copyFromUtf8(EtcdStore.PREFIX)))
                .build();
        return answer(client.transact(all, deadline()))
                .getResponses(0)
                .getResponseRange()
                .getCount();
    }

    static Deadline deadline() {
        return Deadline.after(Patience.SECONDS, TimeUnit.SECONDS);
    }
}
