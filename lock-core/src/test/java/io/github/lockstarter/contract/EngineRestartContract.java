package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.kit.Patience;
import java.util.List;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;

/** An engine that starts again is another instance, unless it still holds locks. */
public abstract class EngineRestartContract extends EngineContract {

    private static final List<Consumer<LockEngine>> ENDS =
            List.of(engine -> engine.drain().join(), LockEngine::stop);

    public EngineRestartContract(Supplier<? extends LockStore> opening) {
        super(opening);
    }

    @Test
    void isSignalledUnderANewIdAfterEachStart() throws Exception {
        Application restarted = newApplication(Application.settingsThatTrustSignals());
        int waits = 0;
        for (Consumer<LockEngine> end : ENDS) {
            String before = restarted.admin().instance();
            end.accept(restarted.engine());
            restarted.engine().start();
            assertThat(restarted.admin().instance()).isNotEqualTo(before);

            LockHandle held = second.locks().acquire(request);
            Future<LockHandle> waiting =
                    elsewhere(() -> restarted.locks().acquire(request.maxWait(Patience.TIME.multipliedBy(4))));
            awaitWaiters(restarted, ++waits);
            held.release();
            LockHandle signalled = resultOf(waiting);

            assertThat(signalled.fencingToken()).isGreaterThan(held.fencingToken());
            StoredLock.Held seen = (StoredLock.Held) second.admin().inspect(key).join();
            assertThat(seen.holder().map(LockHolder::instance))
                    .hasValue(restarted.admin().instance());
            signalled.release();
        }
    }

    @Test
    void keepsItsIdIfADrainHasLeftALockHeld() {
        String before = first.admin().instance();
        LockHandle held = first.locks().acquire(request);
        first.engine().drain();

        first.engine().start();

        assertThat(first.admin().instance()).isEqualTo(before);
        assertThat(held.isHeld()).isTrue();
        assertHeldByAnother(second);
        held.release();
        assertFree();
    }
}
