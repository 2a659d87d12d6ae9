package io.github.lockstarter.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.LockListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

/** Events for a listener that falls behind, and events published to Spring. */
class IsolatedListenerTests {

    @Test
    void deliversALossEvenToASlowListener() {
        CountDownLatch released = new CountDownLatch(1);
        List<LockEvent> received = new CopyOnWriteArrayList<>();
        LockListeners.Isolated listener = new LockListeners.Isolated(event -> {
            LockListenersTests.awaitUninterruptibly(released);
            received.add(event);
        });
        LockEvent.Lost lost =
                new LockEvent.Lost("order", "order:42", 17, Duration.ofSeconds(1), LossCause.LEASE_EXPIRED, 0);
        for (int i = 0; i < 2 * LockListener.MOST_PENDING; i++) {
            listener.onEvent(new LockEvent.Contended("order", "order:42"));
        }
        listener.onEvent(lost);
        released.countDown();

        await().untilAsserted(() -> assertThat(received).last().isSameAs(lost));
        assertThat(listener.dropped() + received.size()).isEqualTo(2 * LockListener.MOST_PENDING + 1);
        listener.close();
    }

    @Test
    void passesOnEachEvent() {
        List<LockEvent> received = new CopyOnWriteArrayList<>();
        LockListeners.Isolated listener = new LockListeners.Isolated(received::add);
        LockEvent contended = new LockEvent.Contended("order", "order:42");
        LockEvent lost = new LockEvent.Lost("order", "order:42", 17, Duration.ofSeconds(1), LossCause.LEASE_EXPIRED, 0);
        listener.onEvent(contended);
        listener.onEvent(lost);

        await().untilAsserted(() -> assertThat(received).containsExactly(contended, lost));
        listener.close();
    }

    @Test
    void unpublishedEventsDoNotFillTheQueue() {
        CountDownLatch released = new CountDownLatch(1);
        List<Object> published = new CopyOnWriteArrayList<>();
        LockListeners.LockEventPublisher publisher = new LockListeners.LockEventPublisher(event -> {
            LockListenersTests.awaitUninterruptibly(released);
            published.add(event);
        });
        LockEvent.NotAcquired inVain =
                new LockEvent.NotAcquired("order", "order:42", Duration.ofSeconds(5), Refusal.CONTENDED, true);
        publisher.onEvent(inVain);
        for (int i = 0; i < 2 * LockListener.MOST_PENDING; i++) {
            publisher.onEvent(new LockEvent.NotAcquired("order", "order:42", Duration.ZERO, Refusal.CONTENDED, false));
            publisher.onEvent(new LockEvent.Recovering("order", "order:42", Duration.ofMinutes(1)));
        }
        publisher.onEvent(inVain);
        released.countDown();

        await().untilAsserted(() -> assertThat(published).hasSize(2).last().isSameAs(inVain));
        assertThat(publisher.dropped()).isZero();
        publisher.close();
    }
}
