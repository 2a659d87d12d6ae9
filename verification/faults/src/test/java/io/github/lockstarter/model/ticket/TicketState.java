package io.github.lockstarter.model.ticket;

import io.github.lockstarter.model.Compaction;
import io.github.lockstarter.model.ticket.TicketClient.Phase;
import io.github.lockstarter.model.ticket.TicketServer.Token;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/**
 * A state of the whole system.
 *
 * @param servers master, its replica, and the deposed master, in the order of {@link Place}
 * @param writable ticks for which the deposed master continues, with this one; 0 if there is none
 * @param failovers so far
 * @param clients A, which holds the lock first; B and C, which attach it; D, which acquires it
 * @param ticket {@link #UNKNOWN} until A has it; then {@link #KNOWN}, plus the ticks for which the lock is the ticket's
 * @param late commands that nobody awaits any more, and that a server may still execute
 */
@SuppressWarnings("EnumOrdinal") // the numbers are not kept
record TicketState(
        List<TicketServer> servers,
        int writable,
        int failovers,
        List<TicketClient> clients,
        int ticket,
        EnumSet<Command> late) {

    static final int UNKNOWN = 0;
    static final int KNOWN = 1;

    /** Servers. */
    enum Place {
        MASTER,
        REPLICA,
        DEPOSED
    }

    /** Commands without an awaited answer. */
    enum Command {
        RENEW_A,
        RELEASE_A,
        DETACH,
        RELEASE_TICKET,
        ATTACH_B,
        RELEASE_B,
        ATTACH_C,
        RELEASE_C
    }

    TicketServer server(Place place) {
        return servers.get(place.ordinal());
    }

    TicketState with(Place place, TicketServer server) {
        List<TicketServer> changed = new ArrayList<>(servers);
        changed.set(place.ordinal(), server);
        return new TicketState(changed, writable, failovers, clients, ticket, late);
    }

    /** The instance with a token. */
    TicketClient client(Token token) {
        return clients.get(index(token));
    }

    private static int index(Token token) {
        return token == Token.A ? 0 : token.ordinal() - Token.TICKET.ordinal();
    }

    TicketState with(Token token, TicketClient client) {
        List<TicketClient> changed = new ArrayList<>(clients);
        changed.set(index(token), client);
        return new TicketState(servers, writable, failovers, changed, ticket, late);
    }

    TicketState withTicket(int state) {
        return new TicketState(servers, writable, failovers, clients, state, late);
    }

    /** The lock is the ticket's no longer. */
    TicketState withUsedTicket() {
        return ticket > KNOWN ? withTicket(KNOWN) : this;
    }

    TicketState sending(Command... commands) {
        EnumSet<Command> more = EnumSet.copyOf(late);
        more.addAll(List.of(commands));
        return new TicketState(servers, writable, failovers, clients, ticket, more);
    }

    TicketState without(Command command) {
        EnumSet<Command> less = EnumSet.copyOf(late);
        less.remove(command);
        return new TicketState(servers, writable, failovers, clients, ticket, less);
    }

    TicketState promoted(int window) {
        TicketServer promoted = server(Place.REPLICA).promoted();
        List<TicketServer> changed = List.of(promoted, promoted, server(Place.MASTER));
        return new TicketState(changed, window + 1, failovers + 1, clients, ticket, late);
    }

    TicketState tick(int grace) {
        boolean goesOn = writable > 1;
        List<TicketServer> older =
                servers.stream().map(server -> server.tick(grace)).toList();
        TicketState next = new TicketState(
                older,
                Math.max(0, writable - 1),
                failovers,
                clients.stream().map(TicketClient::tick).toList(),
                ticket > KNOWN ? ticket - 1 : ticket,
                late);
        return goesOn ? next : next.with(Place.DEPOSED, new TicketServer(Token.NOBODY, 0, 0));
    }

    /** States as numbers: each part is one of a few. */
    static final class Numbered implements Compaction<TicketState, Long> {

        private static final int TIMES = 8;

        /** The product of all numbers of parts is below 2^63. */
        private static final int CLIENT_TIMES = 6;

        @Override
        public Long compact(TicketState state) {
            long number = state.late().stream()
                    .mapToLong(each -> 1L << each.ordinal())
                    .sum();
            for (TicketServer server : state.servers()) {
                number = number * Token.values().length + server.owner().ordinal();
                number = number * TIMES + server.expiry();
                number = number * TIMES + server.age();
            }
            for (TicketClient client : state.clients()) {
                number = number * Phase.values().length + client.phase().ordinal();
                number = number * CLIENT_TIMES + client.time();
            }
            number = number * TIMES + state.ticket();
            number = number * TIMES + state.writable();
            return number * TIMES + state.failovers();
        }

        @Override
        public TicketState world(Long compact) {
            Digits digits = new Digits(compact);
            int failovers = digits.next(TIMES);
            int writable = digits.next(TIMES);
            int ticket = digits.next(TIMES);
            TicketClient[] clients = new TicketClient[4];
            for (int i = clients.length - 1; i >= 0; i--) {
                int time = digits.next(CLIENT_TIMES);
                clients[i] = new TicketClient(Phase.values()[digits.next(Phase.values().length)], time);
            }
            TicketServer[] servers = new TicketServer[Place.values().length];
            for (int i = servers.length - 1; i >= 0; i--) {
                int age = digits.next(TIMES);
                int expiry = digits.next(TIMES);
                servers[i] = new TicketServer(Token.values()[digits.next(Token.values().length)], expiry, age);
            }
            EnumSet<Command> late = EnumSet.noneOf(Command.class);
            for (Command each : Command.values()) {
                if (digits.next(2) == 1) {
                    late.add(each);
                }
            }
            return new TicketState(List.of(servers), writable, failovers, List.of(clients), ticket, late);
        }

        /** Lowest digit first. */
        private static final class Digits {

            private long rest;

            Digits(long number) {
                this.rest = number;
            }

            int next(int base) {
                int digit = (int) (rest % base);
                rest /= base;
                return digit;
            }
        }
    }
}
