package io.github.lockstarter.redis.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.redis.connection.HeartbeatChannels.Channel;
import io.github.lockstarter.spi.SignalListener;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Which channel stands for which connection, in each order in which a client may subscribe again. */
class HeartbeatChannelsTests {

    private static final String MAILBOX = "lock:mailbox:a";
    private static final Channel FIRST = new Channel("lock:heartbeat:a:1", 1);
    private static final Channel SECOND = new Channel("lock:heartbeat:a:2", 2);

    private final List<String> subscribed = new ArrayList<>();
    private final List<String> unsubscribed = new ArrayList<>();
    private final AtomicInteger openings = new AtomicInteger();
    private final HeartbeatChannels channels = new HeartbeatChannels(
            new SignalMailbox(MAILBOX, "lock:heartbeat:a:", new CountingListener()),
            new AtomicLong(),
            subscribed::add,
            unsubscribed::add);

    @Test
    void knowsItsChannelOnceTheServerHasConfirmedIt() {
        channels.subscribed(MAILBOX, 1);
        assertThat(subscribed).containsExactly(FIRST.name());
        assertThat(channels.current()).isNull();
        assertThat(channels.opened()).isNotDone();

        channels.subscribed(FIRST.name(), 2);
        assertThat(channels.current()).isEqualTo(FIRST);
        assertThat(channels.opened()).isDone();
        assertThat(openings).hasValue(1);
    }

    @Test
    void hasNoneFromTheDisconnectionUntilTheNextConnectionHasItsOwn() {
        open();
        disconnect();
        assertThat(channels.current()).isNull();

        channels.subscribed(MAILBOX, 1);
        assertThat(channels.current()).isNull();
        channels.subscribed(SECOND.name(), 2);
        assertThat(channels.current()).isEqualTo(SECOND);
        assertThat(unsubscribed).containsExactly(FIRST.name());
    }

    @Test
    void ignoresTheChannelOfTheConnectionBeforeAlthoughItIsConfirmedFirst() {
        open();
        disconnect();
        channels.subscribed(FIRST.name(), 1);
        assertThat(channels.current()).isNull();
        channels.subscribed(MAILBOX, 2);
        assertThat(channels.current()).isNull();
        channels.subscribed(SECOND.name(), 3);
        assertThat(channels.current()).isEqualTo(SECOND);
    }

    @Test
    void ignoresTheChannelOfTheConnectionBeforeThatIsConfirmedBehindTheMailbox() {
        open();
        disconnect();
        channels.subscribed(MAILBOX, 1);
        channels.subscribed(FIRST.name(), 2);
        assertThat(channels.current()).isNull();
    }

    @Test
    void hasNoneOnceItIsClosed() {
        open();
        channels.end();
        assertThat(channels.current()).isNull();
    }

    private void open() {
        channels.subscribed(MAILBOX, 1);
        channels.subscribed(FIRST.name(), 2);
    }

    @SuppressWarnings("NullAway") // which connection it was does not matter
    private void disconnect() {
        channels.onRedisDisconnected(null);
    }

    private final class CountingListener implements SignalListener {

        @Override
        public void onSignal(String key) {}

        @Override
        public void onWanted(String key) {}

        @Override
        public void onRevoked(String key, String fingerprint) {}

        @Override
        public void onMailboxOpened() {
            openings.incrementAndGet();
        }

        @Override
        public void onMailboxRestored() {}
    }
}
