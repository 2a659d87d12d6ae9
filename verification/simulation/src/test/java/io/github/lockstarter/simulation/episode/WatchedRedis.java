package io.github.lockstarter.simulation.episode;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import io.github.lockstarter.redis.LockScript;
import io.github.lockstarter.simulation.redis.LuaInterpreter;
import io.github.lockstarter.simulation.redis.Reply;
import io.github.lockstarter.simulation.redis.SimRedis;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * A server that logs each withdrawal it executes, and reports each lock that it revokes for an operator. A client
 * repeats a command if the connection breaks before the answer, or may have given it up before it is executed.
 * <p>As some services, it fails a script that uses a key of which its call says nothing.
 */
final class WatchedRedis extends SimRedis {

    private static final int PROGRAM = 1;
    private static final int LOCK = 3;
    private static final int WAITERS = 4;
    private static final int TOKEN = 5;
    private static final int WAIT = 8;
    private static final int KEYS_OF_SCRIPT = 2;

    private static final Set<String> WITHOUT_KEY = Set.of("TIME", "INFO", "PUBLISH", "PUBSUB");
    private static final Set<String> OF_SEVERAL_KEYS = Set.of("MGET", "EXISTS", "DEL");

    private final World world;
    private Optional<List<String>> declared = Optional.empty();

    WatchedRedis(World world, LuaInterpreter lua, LongSupplier time, Supplier<String> ids) {
        super(lua, time, ids);
        this.world = world;
    }

    @Override
    public Reply execute(List<String> command) {
        declared = command.get(0).startsWith("EVAL") ? Optional.of(keysOf(command)) : Optional.empty();
        String wait = waitOfRelease(command);
        if (wait.startsWith("ends")) {
            return withdraw(command);
        }
        return wait.equals("revoked") ? revoke(command) : super.execute(command);
    }

    private static List<String> keysOf(List<String> command) {
        return command.subList(LOCK, LOCK + Integer.parseInt(command.get(KEYS_OF_SCRIPT)));
    }

    @Override
    public Reply call(List<String> command) {
        if (declared.isPresent() && !WITHOUT_KEY.contains(command.get(0))) {
            command.subList(1, OF_SEVERAL_KEYS.contains(command.get(0)) ? command.size() : 2).stream()
                    .filter(key -> !declared.get().contains(key))
                    .findFirst()
                    .ifPresent(key -> {
                        throw new IllegalStateException("A script uses a key that its call does not declare: " + key);
                    });
        }
        return super.call(command);
    }

    private Reply revoke(List<String> command) {
        String lock = command.get(LOCK);
        boolean ofGrant = text(lock).filter(command.get(TOKEN)::equals).isPresent();
        Reply reply = super.execute(command);
        if (ofGrant && !keys().containsKey(lock)) {
            world.promises.takenAway(keyOf(lock));
        }
        return reply;
    }

    private Reply withdraw(List<String> command) {
        String key = keyOf(command.get(LOCK));
        String[] token = command.get(TOKEN).split("[:|]", -1);
        long sequence = Long.parseLong(token[1]);
        boolean hasPlace = scores(command.get(WAITERS)).containsKey(token[0]);
        Reply reply = super.execute(command);
        if (!(reply instanceof Reply.Failure)) {
            world.write(world.event(EventKind.WITHDRAWING, world.nameOf(token[0]))
                    .of(key, 0)
                    .counting(sequence));
            if (hasPlace) {
                world.lateWithdrawals.endedPlace(key, token[0], sequence);
            }
        }
        return reply;
    }

    private static String keyOf(String lock) {
        int end = lock.lastIndexOf('}');
        int slot = lock.length() == end + 1 ? 0 : Integer.parseInt(lock.substring(end + ":p".length() + 1));
        return LabEvent.slotOf(lock.substring(lock.indexOf('{') + 1, end), slot);
    }

    private static String waitOfRelease(List<String> command) {
        return isOf(LockScript.RELEASE, command) && command.size() > WAIT ? command.get(WAIT) : "";
    }

    private static boolean isOf(LockScript script, List<String> command) {
        return switch (command.get(0)) {
            case "EVAL" -> command.get(PROGRAM).equals(script.text());
            case "EVALSHA" -> command.get(PROGRAM).equals(script.sha());
            default -> false;
        };
    }
}
