package io.github.lockstarter.simulation.net;

import io.github.lockstarter.simulation.redis.Reply;
import io.github.lockstarter.simulation.redis.SimRedis;
import io.github.lockstarter.simulation.time.Process;
import io.github.lockstarter.simulation.time.VirtualTime;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * One TCP connection: data of one side arrives at the other one after a delay, in order, or not at all. It is open,
 * silent (packets arrive only after it heals), or cut, which each side detects separately.
 */
public final class Wire implements SimRedis.Subscriber {

    /** Between two looks of a server at a client's WAIT. */
    private static final long LOOK_NANOS = Duration.ofMillis(1).toNanos();

    /** Data on its way to one side, and its effect there. */
    private record Packet(Process to, Runnable arrival) {}

    /** The client's side. */
    public interface Client {

        /** The reply to the first command that is not answered yet. */
        void reply(Reply reply);

        /** A message of a channel. */
        void message(String channel, String text);

        /** The connection was lost. */
        void broken();
    }

    private final VirtualTime time;
    private final LongSupplier delays;
    private final Server server;
    private final Process serverProcess;
    private final Process clientProcess;
    private final Client client;
    private final Deque<List<String>> commands = new ArrayDeque<>();
    private final List<String> channels = new ArrayList<>();
    private final List<Packet> lost = new ArrayList<>();
    private long upAt;
    private long downAt;
    private boolean silent;
    private boolean cut;
    private boolean knownToServer = true;
    private boolean blocked;
    private boolean losingAnswer;
    private long lateness;

    /**
     * Opens a connection.
     *
     * @param time when packets arrive
     * @param delays gives the nanoseconds that a packet takes
     * @param server where to
     * @param clientProcess where from
     * @param client receives the replies
     */
    public Wire(VirtualTime time, LongSupplier delays, Server server, Process clientProcess, Client client) {
        this.time = time;
        this.delays = delays;
        this.server = server;
        this.serverProcess = server.process();
        this.clientProcess = clientProcess;
        this.client = client;
        server.add(this);
    }

    /** The client's process. */
    public Process client() {
        return clientProcess;
    }

    /** Whether the client gets messages here. */
    public boolean isMailbox() {
        return !channels.isEmpty();
    }

    /** Sends a command to the server. */
    public void send(List<String> command) {
        upAt = Math.max(upAt + 1, time.nanos() + delays.getAsLong());
        transmit(upAt, new Packet(serverProcess, () -> execute(command)));
    }

    private void sendBack(Runnable arrival) {
        downAt = Math.max(downAt + 1, time.nanos() + delays.getAsLong() + lateness);
        transmit(downAt, new Packet(clientProcess, arrival));
    }

    private void transmit(long at, Packet packet) {
        time.at(at, packet.to, () -> arrive(packet));
    }

    private void arrive(Packet packet) {
        if (silent) {
            lost.add(packet);
        } else if (!cut) {
            packet.arrival.run();
        }
    }

    private void execute(List<String> command) {
        if (!knownToServer) {
            cut();
            return;
        }
        commands.add(command);
        executeNext();
    }

    private void executeNext() {
        while (!blocked && knownToServer && !commands.isEmpty()) {
            List<String> command = commands.remove();
            if (command.get(0).equals("WAIT")) {
                blocked = true;
                awaitReplicas(
                        command,
                        time.nanos()
                                + Duration.ofMillis(Long.parseLong(command.get(2)))
                                        .toNanos());
            } else {
                long before = server.redis.offset();
                Reply reply = server.redis.execute(command);
                if (losingAnswer && server.redis.offset() != before) {
                    cut();
                } else {
                    sendBack(() -> client.reply(reply));
                }
            }
        }
    }

    /** The server does not block; this client's further commands wait. */
    private void awaitReplicas(List<String> command, long until) {
        Reply reply = server.redis.execute(command);
        boolean enough = reply instanceof Reply.Numeric count && count.value() >= Long.parseLong(command.get(1));
        if (enough || time.nanos() >= until) {
            blocked = false;
            sendBack(() -> client.reply(reply));
            executeNext();
        } else {
            time.in(LOOK_NANOS, serverProcess, () -> awaitReplicas(command, until));
        }
    }

    /** Has the server send the messages of a channel from now on. */
    public void subscribe(String channel) {
        channels.add(channel);
        server.redis.subscribe(channel, this);
    }

    @Override
    public void receive(String channel, String message) {
        sendBack(() -> client.message(channel, message));
    }

    /** The client closes it: data already sent still arrives, and the server detects the end then. */
    public void close() {
        server.remove(this);
        upAt = Math.max(upAt + 1, time.nanos() + delays.getAsLong());
        transmit(upAt, new Packet(serverProcess, this::forget));
    }

    /** Packets are lost from now on. */
    public void silence() {
        silent = true;
    }

    /** Lost packets are sent again, and arrive; in order on each side. */
    public void heal() {
        silent = false;
        lost.forEach(packet -> transmit(time.nanos(), packet));
        lost.clear();
    }

    /** Delays data of the server from now on. */
    public void delayAnswers(Duration by) {
        lateness = by.toNanos();
    }

    /** It is cut when the server has executed the next command that writes, and before the client gets the answer. */
    public void cutBeforeAnswer() {
        losingAnswer = true;
    }

    /** The server drops it; the client detects that when it sends. */
    public void dropAtServer() {
        forget();
    }

    /** Data under way is lost; both sides detect it soon, unless a side does not run. */
    public void cut() {
        if (cut) {
            return;
        }
        cut = true;
        silent = false;
        lost.clear();
        server.remove(this);
        time.in(delays.getAsLong(), clientProcess, client::broken);
        time.in(delays.getAsLong(), serverProcess, this::forget);
    }

    private void forget() {
        knownToServer = false;
        channels.forEach(channel -> server.redis.unsubscribe(channel, this));
    }
}
