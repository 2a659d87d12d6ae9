package io.github.lockstarter.model;

import java.util.ArrayList;
import java.util.List;

/** A path to a violation in readable form: the actions of A, of Redis, and of B. */
final class CounterexampleTable {

    private final List<String> rows = new ArrayList<>();
    private int now;

    private CounterexampleTable() {}

    static String of(ExplorationResult<SystemState, SystemStep> found) {
        CounterexampleTable timeline = new CounterexampleTable();
        timeline.row("tick", "Instance A", "Redis", "Instance B");
        timeline.rows.add("|------|" + "-".repeat(40) + "|" + "-".repeat(95) + "|" + "-".repeat(40) + "|");
        found.counterexample().forEach(timeline::add);
        return String.join(System.lineSeparator(), timeline.rows);
    }

    private void add(ExplorationResult.Move<SystemState, SystemStep> move) {
        SystemStep step = move.step();
        if (step.kind() == SystemStep.Kind.TICK) {
            now++;
        }
        String atRedis = atRedis(move);
        String ofA = ofClient(0, move);
        String ofB = ofClient(1, move);
        if (!(atRedis + ofA + ofB).isEmpty()) {
            row(String.valueOf(now), ofA, atRedis, ofB);
        }
    }

    private void row(String tick, String ofA, String atRedis, String ofB) {
        rows.add(String.format("| %4s | %-38s | %-93s | %-38s |", tick, ofA, atRedis, ofB));
    }

    private String ofClient(int index, ExplorationResult.Move<SystemState, SystemStep> move) {
        Client before = move.before().client(index);
        Client after = move.after().client(index);
        String does = move.step().client() != index
                ? ""
                : switch (move.step().kind()) {
                    case ACQUIRE -> "sends acquire";
                    case RENEW -> "sends renew";
                    case RELEASE -> "sends release";
                    case GIVE_UP -> "awaits the answer no longer";
                    case CLIENT_RESTART -> "restarts";
                    default -> "";
                };
        if (after.holds() && (!before.holds() || after.left() > before.left())) {
            return "holds until tick " + (now + after.left());
        }
        if (before.holds() && !after.holds()) {
            return does.isEmpty() ? "holds no longer" : does + ", holds no longer";
        }
        return does;
    }

    private String atRedis(ExplorationResult.Move<SystemState, SystemStep> move) {
        SystemStep step = move.step();
        SystemState before = move.before();
        SystemState after = move.after();
        return switch (step.kind()) {
            case REPLICATE -> "the replica catches up";
            case FAILOVER ->
                "the replica is promoted; it has " + contents(after.master())
                        + (after.master().clock() < 0 ? "; its clock is behind" : "");
            case FLUSH -> "FLUSHALL";
            case EMPTY_RESTART -> "restarts without data";
            case NEWCOMER -> "a newcomer asks for another lock" + marks(before.master(), after.master());
            case EXECUTE -> executes(step, before, after);
            case EXECUTE_ANSWER_LOST -> executes(step, before, after) + "; the answer is lost";
            case EXECUTE_GHOST -> executes(step, before, after) + "; no client awaits the answer";
            default ->
                before.deposed().isPresent() && after.deposed().isEmpty()
                        ? "the old master executes nothing any more"
                        : "";
        };
    }

    private String executes(SystemStep step, SystemState before, SystemState after) {
        ServerData was = step.atDeposed() ? before.deposed().orElseThrow() : before.master();
        ServerData is = step.atDeposed() ? after.deposed().orElseThrow() : after.master();
        Client client = before.client(step.client());
        SentCommand request =
                step.kind() == SystemStep.Kind.EXECUTE_GHOST ? client.ghost().orElseThrow() : client.request();
        String name = step.client() == 0 ? "A" : "B";
        String where = step.atDeposed() ? "old master" : "master";
        return where + ": " + request.verb().name().toLowerCase(java.util.Locale.ROOT) + " of " + name + ", "
                + change(was, is)
                + marks(was, is)
                + (request.verb() == Verb.ACQUIRE && was.note() != Marker.UNKNOWN ? ", a note stands" : "");
    }

    private static String marks(ServerData was, ServerData is) {
        String marker =
                was.marker().equals(is.marker()) ? "" : is.marker().firstUse() ? ", first use" : ", new history";
        boolean leavesNote = was.note() == Marker.UNKNOWN && is.note() != Marker.UNKNOWN;
        return marker + (leavesNote ? ", leaves a note" : "");
    }

    private String change(ServerData was, ServerData is) {
        if (is.fence() > was.fence()) {
            return "has it until " + (now + is.expiry()) + " with token " + token(is.fence());
        }
        if (is.owner() != Owner.NOBODY && (is.owner() != was.owner() || is.expiry() > was.expiry())) {
            return "has it until " + (now + is.expiry());
        }
        return is.owner() == Owner.NOBODY && was.owner() != Owner.NOBODY ? "freed" : "unchanged";
    }

    private String contents(ServerData server) {
        return server.owner() == Owner.NOBODY ? "no lock" : "a lock until tick " + (now + server.expiry());
    }

    private int token(int fencing) {
        return now * Fencing.TOKENS_PER_TICK + fencing;
    }
}
