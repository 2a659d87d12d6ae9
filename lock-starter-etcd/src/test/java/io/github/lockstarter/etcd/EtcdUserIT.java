package io.github.lockstarter.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.etcd.jetcd.api.AuthEnableRequest;
import io.etcd.jetcd.api.AuthGrpc;
import io.etcd.jetcd.api.AuthRoleAddRequest;
import io.etcd.jetcd.api.AuthUserAddRequest;
import io.etcd.jetcd.api.AuthUserGrantRoleRequest;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.grpc.Grpc;
import io.grpc.InsecureChannelCredentials;
import io.grpc.ManagedChannel;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** An etcd that asks for a user. */
class EtcdUserIT extends EtcdScenario {

    private static final String PASSWORD = "very-secret";

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
                COMMAND_TIMEOUT));
    }

    @Test
    void grantsAndRenewsLocksOfAUser() {
        try (EtcdLockBackend backend = backendOf(Optional.of(new EtcdCredentials("root", PASSWORD)))) {
            LockToken token = newToken();
            AcquireResult.Granted granted = (AcquireResult.Granted) answer(backend.acquire(attempt(token)));

            assertThat(answer(backend.renew(List.of(new RenewCommand(key, token, LEASE, granted.fencingToken())))
                            .get(0)))
                    .isInstanceOf(RenewResult.Renewed.class);
            assertThat(answer(backend.acquire(attempt(newToken())))).isInstanceOf(AcquireResult.Contended.class);
        }
    }

    @Test
    void refusesAWrongPasswordWithoutShowingIt() {
        try (EtcdLockBackend backend = backendOf(Optional.of(new EtcdCredentials("root", "wrong-secret")))) {
            assertThat(answer(backend.acquire(attempt(newToken()))))
                    .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                            .contains("authentication failed")
                            .doesNotContain("wrong-secret"));
            assertThat(answer(backend.state()).failure()).isPresent();
        }
    }

    @Test
    void refusesALockWithoutAUser() {
        try (EtcdLockBackend backend = backendOf(Optional.empty())) {
            assertThat(answer(backend.acquire(attempt(newToken())))).isInstanceOf(AcquireResult.Rejected.class);
        }
    }
}
