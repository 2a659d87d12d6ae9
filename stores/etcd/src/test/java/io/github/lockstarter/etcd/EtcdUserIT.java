package io.github.lockstarter.etcd;

import static io.github.lockstarter.kit.Patience.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.etcd.jetcd.api.AuthEnableRequest;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthRoleAddRequest;
import io.etcd.jetcd.api.AuthUserAddRequest;
import io.etcd.jetcd.api.AuthUserGrantRoleRequest;
import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An etcd that requires a user. */
class EtcdUserIT extends EtcdScenario {

    private static final String PASSWORD = "very-secret";

    /** Entries in a snapshot are not executed again at a restart, which would restore the tokens. */
    @Override
    String[] serverArguments() {
        return new String[] {"--snapshot-count=10"};
    }

    @BeforeEach
    void enableAuthentication() {
        ManagedChannel channel = Grpc.newChannelBuilder(
                        server.endpoint().substring("http://".length()), InsecureChannelCredentials.create())
                .build();
        try {
            AuthGrpc.AuthBlockingStub auth = AuthGrpc.newBlockingStub(channel);
            auth.userAdd(AuthUserAddRequest.newBuilder()
                    .setName("root")
                    .setPassword(PASSWORD)
                    .build());
            auth.roleAdd(AuthRoleAddRequest.newBuilder().setName("root").build());
            auth.userGrantRole(AuthUserGrantRoleRequest.newBuilder()
                    .setUser("root")
                    .setRole("root")
                    .build());
            auth.authEnable(AuthEnableRequest.getDefaultInstance());
        } finally {
            channel.shutdownNow();
        }
    }

    private EtcdLockBackend backendOf(Optional<EtcdCredentials> user) {
        return new EtcdLockBackend(new EtcdSettings(
                EtcdStore.PREFIX,
                List.of(EtcdSettings.endpoint(server.endpoint())),
                user,
                Optional.empty(),
                EtcdStore.COMMAND_TIMEOUT));
    }

    @Test
    void grantsAndRenewsLocksOfAUser() {
        try (EtcdLockBackend backend = backendOf(Optional.of(new EtcdCredentials("root", PASSWORD)))) {
            LockToken token = newToken();
            AcquireResult.Granted granted = (AcquireResult.Granted) answer(backend.attemptAcquire(attempt(token)));

            assertThat(answer(
                            backend.renewLeases(List.of(new RenewCommand(key, token, LEASE, granted.fencingToken(), 0)))
                                    .get(0)))
                    .isInstanceOf(RenewResult.Renewed.class);
            assertThat(answer(backend.attemptAcquire(attempt(newToken())))).isInstanceOf(AcquireResult.Contended.class);
        }
    }

    @Test
    void anIdleInstanceReceivesMessagesAgainAfterARestartInvalidatedItsToken() {
        try (EtcdLockBackend idle = backendOf(Optional.of(new EtcdCredentials("root", PASSWORD)));
                EtcdLockBackend other = backendOf(Optional.of(new EtcdCredentials("root", PASSWORD)))) {
            LockToken token = newToken();
            CompletableFuture<String> revoked = new CompletableFuture<>();
            CompletableFuture<Void> restored = new CompletableFuture<>();
            idle.listen(token.instanceId(), new RevocationListener(revoked, restored));
            AcquireResult.Granted granted = (AcquireResult.Granted) answer(idle.attemptAcquire(attempt(token)));
            for (int i = 0; i < 20; i++) {
                answer(other.attemptAcquire(attempt(newToken())));
            }

            server.kill();
            server.restart();

            // Of messages sent before that, some may be missed.
            assertThat(restored).succeedsWithin(Patience.TIME);
            await().until(() -> answer(other.revoke(key, 0, granted.fencingToken())) instanceof Revocation.Revoked);
            assertThat(revoked).succeedsWithin(Patience.TIME).isEqualTo(key);
        }
    }

    private record RevocationListener(CompletableFuture<String> revoked, CompletableFuture<Void> restored)
            implements SignalListener {

        @Override
        public void onSignal(String key, int slot) {}

        @Override
        public void onWanted(String key) {}

        @Override
        public void onRevoked(String key, String fingerprint) {
            revoked.complete(key);
        }

        @Override
        public void onMailboxRestored() {
            restored.complete(null);
        }
    }

    @Test
    void refusesAWrongPasswordWithoutShowingIt() {
        try (EtcdLockBackend backend = backendOf(Optional.of(new EtcdCredentials("root", "wrong-secret")))) {
            assertThat(answer(backend.attemptAcquire(attempt(newToken()))))
                    .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                            .contains("authentication failed")
                            .doesNotContain("wrong-secret"));
            assertThat(answer(backend.state()).failure()).isPresent();
        }
    }

    @Test
    void refusesALockWithoutAUser() {
        try (EtcdLockBackend backend = backendOf(Optional.empty())) {
            assertThat(answer(backend.attemptAcquire(attempt(newToken())))).isInstanceOf(AcquireResult.Rejected.class);
        }
    }
}
