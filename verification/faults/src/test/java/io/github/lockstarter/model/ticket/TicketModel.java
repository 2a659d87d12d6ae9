package io.github.lockstarter.model.ticket;

import io.github.lockstarter.model.TransitionSystem;
import io.github.lockstarter.model.ticket.TicketClient.Phase;
import io.github.lockstarter.model.ticket.TicketServer.Token;
import io.github.lockstarter.model.ticket.TicketState.Command;
import io.github.lockstarter.model.ticket.TicketState.Place;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.BiConsumer;

/**
 * One lock: A holds it and detaches it, B and C attach it by the same ticket, D acquires it. Each may crash, and each
 * answer may be lost. A violation is a tick in which two of them hold the lock, or A or D holds it while it is the
 * ticket's: from the answer to the detach, for the lease that counts from its sending, until it is attached or freed.
 *
 * @param lease of each command, and the longest lease
 * @param window how many ticks a deposed master continues to execute commands, beyond that of the promotion
 * @param failovers how many there may be
 * @param left disabled rules
 */
record TicketModel(int lease, int window, int failovers, Set<TicketRule> left)
        implements TransitionSystem<TicketState, String> {

    private static final List<Token> INSTANCES = List.of(Token.A, Token.B, Token.C, Token.D);
    private static final List<Token> ATTACHING = List.of(Token.B, Token.C);

    static TicketModel of(int lease, int window, int failovers) {
        return new TicketModel(lease, window, failovers, EnumSet.noneOf(TicketRule.class));
    }

    TicketModel without(TicketRule rule) {
        return new TicketModel(lease, window, failovers, EnumSet.of(rule));
    }

    private boolean keeps(TicketRule rule) {
        return !left.contains(rule);
    }

    private int grace() {
        return lease + window;
    }

    private int ticketLease() {
        return keeps(TicketRule.TICKET_HAS_NO_LONGER_LEASE) ? lease : lease + 1;
    }

    private Token ticketToken() {
        return keeps(TicketRule.TICKET_HAS_ITS_OWN_TOKEN) ? Token.TICKET : Token.A;
    }

    @Override
    public TicketState initial() {
        TicketServer held = new TicketServer(Token.A, lease, grace());
        List<TicketServer> servers = List.of(held, held, new TicketServer(Token.NOBODY, 0, 0));
        List<TicketClient> clients =
                List.of(TicketClient.holding(lease), TicketClient.IDLE, TicketClient.IDLE, TicketClient.IDLE);
        return new TicketState(servers, 0, 0, clients, TicketState.UNKNOWN, EnumSet.noneOf(Command.class));
    }

    @Override
    public boolean isViolation(TicketState state) {
        long holders = state.clients().stream()
                .filter(client -> client.is(Phase.HOLDING))
                .count();
        boolean other =
                state.client(Token.A).is(Phase.HOLDING) || state.client(Token.D).is(Phase.HOLDING);
        return holders > 1 || (other && state.ticket() > TicketState.KNOWN);
    }

    @Override
    public void steps(TicketState state, BiConsumer<String, TicketState> found) {
        found.accept("tick", tick(state));
        if (!state.server(Place.REPLICA).equals(state.server(Place.MASTER))) {
            found.accept("the replica catches up", state.with(Place.REPLICA, state.server(Place.MASTER)));
        }
        if (state.failovers() < failovers) {
            found.accept("the replica is promoted", state.promoted(window));
        }
        for (Token each : INSTANCES) {
            TicketClient client = state.client(each);
            if (client.is(Phase.HOLDING)) {
                found.accept(each + " crashes", state.with(each, TicketClient.CRASHED));
                found.accept(each + " releases", release(state, each));
            }
            if (client.is(Phase.ASKING)) {
                found.accept(each + " crashes", givesUp(state, each).with(each, TicketClient.CRASHED));
                found.accept(each + " gives up", givesUp(state, each));
            }
        }
        stepsOfFirstHolder(state, found);
        if (state.ticket() >= TicketState.KNOWN) {
            for (Token each : ATTACHING) {
                if (state.client(each).is(Phase.IDLE)) {
                    found.accept(each + " sends attach", state.with(each, TicketClient.ASKING));
                }
            }
            found.accept(
                    "the ticket is released",
                    state.sending(Command.RELEASE_TICKET).withUsedTicket());
        }
        execute(state, Place.MASTER, found);
        if (state.writable() > 0) {
            execute(state, Place.DEPOSED, found);
        }
    }

    private void stepsOfFirstHolder(TicketState state, BiConsumer<String, TicketState> found) {
        TicketClient a = state.client(Token.A);
        if (a.is(Phase.HOLDING)) {
            found.accept("a renewal of A is late", state.sending(Command.RENEW_A));
            if (keeps(TicketRule.DETACH_ENDS_THE_HOLD)) {
                found.accept("A sends detach", state.with(Token.A, TicketClient.ASKING));
            }
        }
        if (state.ticket() >= TicketState.KNOWN && a.is(Phase.GONE)) {
            found.accept("A crashes", state.with(Token.A, TicketClient.CRASHED));
            found.accept("A releases its old handle", state.sending(Command.RELEASE_A));
        }
    }

    private TicketState tick(TicketState state) {
        TicketState next = state.tick(grace());
        for (Token each : INSTANCES) {
            TicketClient client = next.client(each);
            if (client.is(Phase.ASKING) && client.time() >= lease) { // a grant would be over
                next = givesUp(next, each);
            }
        }
        return next;
    }

    private static TicketState release(TicketState state, Token token) {
        TicketState gone = state.with(token, TicketClient.GONE);
        return switch (token) {
            case A -> gone.sending(Command.RELEASE_A);
            case B -> gone.sending(Command.RELEASE_B);
            case C -> gone.sending(Command.RELEASE_C);
            default -> gone; // its lock ends with the lease
        };
    }

    /** What was sent may still be executed, and what it may have granted is released. */
    private static TicketState givesUp(TicketState state, Token token) {
        TicketState released = release(state, token);
        return switch (token) {
            case A -> released.sending(Command.DETACH, Command.RELEASE_TICKET);
            case B -> released.sending(Command.ATTACH_B);
            default -> released.sending(Command.ATTACH_C);
        };
    }

    // Servers

    private void execute(TicketState state, Place place, BiConsumer<String, TicketState> found) {
        String at = place == Place.DEPOSED ? ", at the deposed master" : "";
        TicketServer server = state.server(place);
        for (Token each : INSTANCES) {
            if (state.client(each).is(Phase.HOLDING)) {
                TicketServer renewed = renewed(server, each);
                TicketState after = state.with(place, renewed);
                found.accept("a renewal of " + each + " is executed, the answer lost" + at, after);
                boolean extended = renewed.owner() == each && server.age() >= window;
                boolean lost = renewed.owner() != each && server.age() >= window;
                if (extended || lost) {
                    found.accept(
                            each + (extended ? " renews" : " loses the lock") + at,
                            after.with(each, extended ? TicketClient.holding(lease) : TicketClient.GONE));
                }
            }
        }
        if (state.client(Token.A).is(Phase.ASKING)) {
            TicketState after = detached(state, place);
            found.accept("the detach is executed, the answer lost" + at, after);
            if (after.server(place).owner() == ticketToken()) {
                int promised = ticketLease() - state.client(Token.A).time();
                found.accept(
                        "A detaches" + at,
                        after.with(Token.A, TicketClient.GONE).withTicket(TicketState.KNOWN + Math.max(0, promised)));
            } else {
                found.accept(
                        "the detach is refused" + at, release(after, Token.A).sending(Command.RELEASE_TICKET));
            }
        }
        if (!keeps(TicketRule.DETACH_ENDS_THE_HOLD) && state.client(Token.A).is(Phase.HOLDING)) {
            TicketState after = detached(state, place);
            if (after.server(place).owner() == ticketToken()) {
                found.accept("A detaches and holds" + at, after.withTicket(TicketState.KNOWN));
            }
        }
        for (Token each : ATTACHING) {
            if (state.client(each).is(Phase.ASKING)) {
                TicketState after = attached(state, place, each);
                found.accept("the attach of " + each + " is executed, the answer lost" + at, after);
                boolean granted = after.server(place).owner() == each;
                int until = lease - state.client(each).time();
                found.accept(
                        each + (granted ? " attaches" : " is refused") + at,
                        after.with(each, granted ? TicketClient.holding(until) : TicketClient.GONE));
            }
        }
        if (state.client(Token.D).is(Phase.IDLE) && mayAcquire(state, server)) {
            TicketState after = state.with(place, server.grantedTo(Token.D, lease));
            found.accept("D acquires" + at, after.with(Token.D, TicketClient.holding(lease)));
            found.accept("D acquires, the answer lost" + at, after.with(Token.D, TicketClient.GONE));
        }
        for (Command each : state.late()) {
            found.accept("late: " + each + at, executed(state.without(each), place, each));
        }
    }

    private TicketState executed(TicketState state, Place place, Command command) {
        return switch (command) {
            case RENEW_A -> state.with(place, renewed(state.server(place), Token.A));
            case DETACH -> detached(state, place);
            case ATTACH_B -> attached(state, place, Token.B);
            case ATTACH_C -> attached(state, place, Token.C);
            case RELEASE_A -> released(state, place, Token.A);
            case RELEASE_B -> released(state, place, Token.B);
            case RELEASE_C -> released(state, place, Token.C);
            case RELEASE_TICKET -> released(state, place, ticketToken());
        };
    }

    private static TicketState released(TicketState state, Place place, Token token) {
        TicketServer server = state.server(place);
        return server.owner() == token ? state.with(place, server.freed()) : state;
    }

    private TicketServer renewed(TicketServer server, Token token) {
        boolean restores = server.owner() == Token.NOBODY && server.age() < grace();
        return server.age() >= window && (server.owner() == token || restores)
                ? server.grantedTo(token, Math.max(server.expiry(), lease))
                : server;
    }

    private boolean mayAcquire(TicketState state, TicketServer server) {
        boolean ofCrashed =
                switch (server.owner()) {
                    case NOBODY -> true;
                    case TICKET ->
                        !keeps(TicketRule.TICKET_IS_NOT_TAKEN_OVER)
                                && state.client(Token.A).is(Phase.CRASHED);
                    case A, B, C -> state.client(server.owner()).is(Phase.CRASHED);
                    case D -> false;
                };
        return ofCrashed && server.age() >= grace();
    }

    private TicketState detached(TicketState state, Place place) {
        TicketServer server = state.server(place);
        boolean waits = keeps(TicketRule.DETACH_WAITS_FOR_THE_GRACE);
        return state.with(place, replaced(server, server.owner() == Token.A, ticketToken(), ticketLease(), waits));
    }

    private TicketState attached(TicketState state, Place place, Token by) {
        TicketServer server = state.server(place);
        boolean restores = !keeps(TicketRule.ATTACH_RESTORES_NOTHING)
                && server.owner() == Token.NOBODY
                && server.age() < grace()
                && server.age() >= window;
        boolean found = server.owner() == ticketToken() || !keeps(TicketRule.ATTACH_COMPARES_TOKENS) || restores;
        boolean waits = keeps(TicketRule.ATTACH_WAITS_FOR_THE_GRACE) && !restores;
        TicketState after = state.with(place, replaced(server, found, by, lease, waits));
        return after.server(place).owner() == by ? after.withUsedTicket() : after;
    }

    /** A repeated command finds its own token. In a young history, it only keeps the lock for a later attempt. */
    private TicketServer replaced(TicketServer server, boolean found, Token token, int time, boolean waits) {
        if (server.owner() == token || !found) {
            return server;
        }
        boolean young = server.age() < grace();
        return waits && young
                ? server.grantedTo(server.owner(), Math.max(server.expiry(), grace() - server.age() + time))
                : server.grantedTo(token, time);
    }

    @Override
    public String toString() {
        String bounds = "lease=" + lease + " w=" + window + " failovers=" + failovers;
        return left.isEmpty() ? bounds : bounds + " without " + left;
    }
}
