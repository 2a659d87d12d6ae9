package io.github.lockstarter.spi;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.Reachable;
import io.github.lockstarter.StoreEvent.Scope;
import io.github.lockstarter.StoreEvent.Unreachable;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

class OutagesTests {

    private static final RenewResult ANSWER = new RenewResult.Renewed();
    private static final RenewResult SILENCE = silence(new TimeoutException("no answer"));
    private static final RenewResult REFUSAL = new RenewResult.Unknown("no right", new IllegalStateException());
    private static final String STORE = "the store";

    private final List<StoreEvent> received = new ArrayList<>();
    private final Map<String, String> servers = new HashMap<>();
    private long now;
    private final Outages outages = new Outages(store(), Scope.ALL, () -> now, received::add);

    private static RenewResult silence(Throwable cause) {
        return new RenewResult.Unknown("Lock 'a' was not renewed: no answer. Check the store", cause);
    }

    private LockBackend store() {
        return (LockBackend) Proxy.newProxyInstance(
                LockBackend.class.getClassLoader(),
                new Class<?>[] {LockBackend.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "isSilence" -> arguments[0] instanceof TimeoutException;
                    case "serverOf" -> Optional.ofNullable(servers.get((String) arguments[0]));
                    default -> STORE;
                });
    }

    /** Of a command that is sent and ends now. */
    private void ends(String key, RenewResult result) {
        outages.ended(key, result, outages.epoch());
    }

    @Test
    void reportsAnOutageOnceAtTheSecondTimeoutAndItsEndOnce() {
        ends("a", SILENCE);
        now += 5;
        assertThat(received).isEmpty();
        ends("a", SILENCE);
        ends("b", SILENCE);
        assertThat(received).containsExactly(new Unreachable(STORE, Scope.ALL, "no answer"));
        ends("b", ANSWER);
        ends("a", ANSWER);
        assertThat(received).hasSize(2).last().isEqualTo(new Reachable(STORE, Scope.ALL, Duration.ofNanos(5)));
    }

    @Test
    void describesTheProblemByItsCauseInOneLineWithoutAFullStop() {
        Exception cause = new IllegalStateException("refused\tby a firewall.\nCheck it.", new Exception());
        Exception late = new TimeoutException("no connection");
        late.initCause(cause);
        ends("a", silence(late));
        ends("a", silence(late));
        ends("a", ANSWER);
        ends("a", silence(new TimeoutException()));
        ends("a", silence(new TimeoutException()));
        assertThat(received.get(0)).isEqualTo(new Unreachable(STORE, Scope.ALL, "refused\\tby a firewall"));
        assertThat(received.get(2)).isEqualTo(new Unreachable(STORE, Scope.ALL, "TimeoutException"));
    }

    @Test
    void ignoresTimeoutsOfCommandsSentBeforeTheFirstTimeout() {
        long epoch = outages.epoch();
        for (int i = 0; i < 10; i++) {
            outages.ended("a", SILENCE, epoch);
        }
        ends("a", ANSWER);
        assertThat(received).isEmpty();
    }

    @Test
    void ignoresTimeoutsWithAnAnswerInBetween() {
        for (int i = 0; i < 10; i++) {
            ends("a", SILENCE);
            ends("a", ANSWER);
        }
        assertThat(received).isEmpty();
    }

    @Test
    void aRefusalNeitherBeginsNorEndsAnOutage() {
        ends("a", REFUSAL);
        ends("a", REFUSAL);
        assertThat(received).isEmpty();
        ends("a", SILENCE);
        ends("a", SILENCE);
        ends("a", REFUSAL);
        assertThat(received).singleElement().isInstanceOf(Unreachable.class);
    }

    @Test
    void reportsAnOutagePerServerAndEndsItWhenAnotherServerHasItsKeys() {
        servers.put("a", "server 1");
        servers.put("b", "server 2");
        ends("a", SILENCE);
        ends("a", SILENCE);
        ends("b", ANSWER);
        assertThat(received).containsExactly(new Unreachable("server 1", Scope.PART, "no answer"));
        servers.put("a", "server 2");
        ends("b", ANSWER);
        assertThat(received).last().isEqualTo(new Reachable("server 1", Scope.PART, Duration.ZERO));
    }

    /** No node of the cluster was known until one answered. */
    @Test
    void theEndOfAnOutageHasTheScopeOfItsBeginning() {
        ends("a", SILENCE);
        ends("a", SILENCE);
        servers.put("a", "server 1");
        servers.put("b", "server 2");
        ends("b", ANSWER);
        assertThat(received).last().isEqualTo(new Reachable(STORE, Scope.ALL, Duration.ZERO));
    }

    @Test
    void anAnswerToTheHealthCheckEndsAnOutageUnlessItReportsAFailure() {
        servers.put("a", "server 1");
        ends("a", SILENCE);
        ends("a", SILENCE);
        outages.answered(new StoreState(STORE, Optional.of("no answer")));
        outages.answered(state(new StoreState("server 2", Optional.of("no answer"))));
        assertThat(received).hasSize(1);
        outages.answered(state(new StoreState("server 2", Optional.empty())));
        assertThat(received).last().isEqualTo(new Reachable("server 1", Scope.PART, Duration.ZERO));
    }

    private static StoreState state(StoreState node) {
        return new StoreState(STORE, Optional.empty(), Duration.ZERO, Guard.UNNEEDED, true, List.of(), List.of(node));
    }

    @Test
    void anErrorReplyOfTheServerEndsAnOutage() {
        ends("a", SILENCE);
        ends("a", SILENCE);
        outages.answered("another one");
        outages.answered(STORE);
        assertThat(received).last().isInstanceOf(Reachable.class);
    }
}
