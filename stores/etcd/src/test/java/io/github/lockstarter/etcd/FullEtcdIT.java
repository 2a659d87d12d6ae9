package io.github.lockstarter.etcd;

import static io.github.lockstarter.kit.Patience.answer;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.etcd.jetcd.api.TxnRequest;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.util.List;
import org.junit.jupiter.api.Test;

/** An etcd with an exhausted quota, because it is never compacted. */
class FullEtcdIT extends EtcdScenario {

    private static final String[] CURE = {"compact", "alarm disarm", "--auto-compaction-mode=periodic"};

    @Override
    String[] serverArguments() {
        return new String[] {"--quota-backend-bytes=2000000"};
    }

    @Test
    void theFailureSaysThatEtcdIsFullAndWhatToDo() {
        LockBackend backend = connected();
        assertThat(answer(backend.state()).failure()).isEmpty();

        fill();

        assertThat(answer(backend.attemptAcquire(attempt(newToken()))))
                .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                        .contains(CURE));
        assertThat(answer(backend.state()).failure())
                .hasValueSatisfying(failure -> assertThat(failure).contains(CURE));
    }

    @Test
    void renewsAndReleasesGrantedLocks() {
        LockBackend backend = connected();
        LockToken token = newToken();
        long fencingToken = ((AcquireResult.Granted) answer(backend.attemptAcquire(attempt(token)))).fencingToken();

        fill();

        RenewCommand renewal = new RenewCommand(key, token, LEASE, fencingToken, 0);
        assertThat(answer(backend.renewLeases(List.of(renewal)).get(0))).isInstanceOf(RenewResult.Renewed.class);
        assertThat(answer(backend.releaseToken(new ReleaseCommand(key, token, fencingToken))))
                .isInstanceOf(ReleaseResult.Released.class);
    }

    @Test
    void readingTheStateStoresNothing() {
        LockBackend backend = connected();
        long revision = revision();

        assertThat(answer(backend.state()).failure()).isEmpty();

        assertThat(revision()).isEqualTo(revision);
    }

    private long revision() {
        return answer(client.transact(TxnRequest.getDefaultInstance(), deadline()))
                .getHeader()
                .getRevision();
    }

    /** Until etcd refuses more. */
    private void fill() {
        ByteString large = ByteString.copyFrom(new byte[500_000]);
        TxnRequest write = TxnRequest.newBuilder()
                .addSuccess(Requests.put(ByteString.copyFromUtf8("filler"), large, 0))
                .build();
        for (boolean fits = true; fits; ) {
            fits = answer(client.transact(write, deadline()).handle((stored, failure) -> failure == null));
        }
    }
}
