package io.github.lockstarter.redis.testing;

import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.ArrayOutput;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.ProtocolKeyword;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What Lettuce's command interface has no plain method for. */
final class RawCommands {

    /** Lettuce has a connection of its own type for it. */
    static final ProtocolKeyword SENTINEL = keyword("SENTINEL");

    private RawCommands() {}

    static CommandArgs<String, String> arguments(String... arguments) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
        for (String argument : arguments) {
            args.add(argument);
        }
        return args;
    }

    static StatusOutput<String, String> status() {
        return new StatusOutput<>(StringCodec.UTF8);
    }

    static ArrayOutput<String, String> list() {
        return new ArrayOutput<>(StringCodec.UTF8);
    }

    private static ProtocolKeyword keyword(String name) {
        byte[] bytes = name.getBytes(StandardCharsets.US_ASCII);
        return new ProtocolKeyword() {
            @Override
            public byte[] getBytes() {
                return bytes;
            }

            @Override
            public String toString() {
                return name;
            }
        };
    }

    static void aclSetUser(RedisCommands<String, String> commands, String user, String... rules) {
        CommandArgs<String, String> args =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add(user);
        for (String rule : understood(rules)) {
            args.add(rule);
        }
        commands.dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
    }

    /** The rules without those of channels, where the server is older than these: then every user has all channels. */
    static String[] understood(String... rules) {
        return RedisBinary.isBefore(6, 2)
                ? Stream.of(rules)
                        .filter(rule -> !rule.startsWith("&") && !rule.endsWith("channels"))
                        .toArray(String[]::new)
                : rules;
    }

    static Map<String, String> parseInfo(String info) {
        return info.lines()
                .filter(line -> line.contains(":"))
                .map(line -> line.split(":", 2))
                .collect(Collectors.toMap(field -> field[0], field -> field[1].strip()));
    }
}
