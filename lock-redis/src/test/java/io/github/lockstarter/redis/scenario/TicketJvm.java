package io.github.lockstarter.redis.scenario;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.LockTicket;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.redis.RedisServer;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * A JVM that detaches a lock, and prints {@code ticket} and its text; or that attaches one, and prints {@code held} and
 * the fencing token. It stays until it is killed.
 */
final class TicketJvm {

    private static final String TICKET = "ticket ";
    private static final String HELD = "held ";

    private TicketJvm() {}

    static ChildJvm detaching(RedisServer server, Duration takeover, String key, Duration lease) {
        return start(server, takeover, "detach", key, Long.toString(lease.toMillis()));
    }

    static ChildJvm attaching(RedisServer server, Duration takeover, LockTicket ticket) {
        return start(server, takeover, "attach", ticket.text());
    }

    private static ChildJvm start(RedisServer server, Duration takeover, String... rest) {
        String[] arguments = new String[rest.length + 2];
        arguments[0] = Integer.toString(server.port());
        arguments[1] = Long.toString(takeover.toMillis());
        System.arraycopy(rest, 0, arguments, 2, rest.length);
        return ChildJvm.start(TicketJvm.class, arguments);
    }

    static LockTicket ticketOf(ChildJvm jvm) throws Exception {
        return LockTicket.of(
                jvm.awaitLine(line -> line.startsWith(TICKET), Patience.TIME).substring(TICKET.length()));
    }

    static long fencingTokenOf(ChildJvm jvm) throws Exception {
        return Long.parseLong(
                jvm.awaitLine(line -> line.startsWith(HELD), Patience.TIME).substring(HELD.length()));
    }

    /**
     * Runs.
     *
     * @param arguments port and takeover time in ms, and what to do: {@code detach}, the key and the lease in ms, or
     *     {@code attach} and the text of the ticket
     */
    public static void main(String[] arguments) {
        Duration takeover = Duration.ofMillis(Long.parseLong(arguments[1]));
        LockTemplate locks = ChildClient.locks(
                arguments[0], Application.settings(RedisScenario.LONG_LEASE).withCrashTakeover(takeover));
        if (arguments[2].equals("detach")) {
            LockHandle held = locks.acquire(LockRequest.of(arguments[3]));
            System.out.println(TICKET
                    + held.detach(Duration.ofMillis(Long.parseLong(arguments[4])))
                            .text());
        } else {
            LockHandle held = locks.attach(LockTicket.of(arguments[3]));
            System.out.println(HELD + held.fencingToken());
        }
        while (true) {
            LockSupport.park(locks);
        }
    }
}
