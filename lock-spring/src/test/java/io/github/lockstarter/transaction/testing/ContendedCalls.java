package io.github.lockstarter.transaction.testing;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockListener;
import java.util.concurrent.CountDownLatch;

/** Says when a call begins to wait for a lock. */
final class ContendedCalls implements LockListener {

    private final CountDownLatch first = new CountDownLatch(1);

    CountDownLatch first() {
        return first;
    }

    @Override
    public boolean returnsAtOnce() {
        return true;
    }

    @Override
    public void onEvent(LockEvent event) {
        if (event instanceof LockEvent.Contended) {
            first.countDown();
        }
    }
}
