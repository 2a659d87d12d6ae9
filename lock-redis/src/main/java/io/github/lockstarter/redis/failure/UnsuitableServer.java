package io.github.lockstarter.redis.failure;

import io.github.lockstarter.redis.settings.RedisSetup;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Remedies for errors of servers, services and proxies that do not execute the scripts of the locks. */
record UnsuitableServer(RedisSetup setup) {

    /** Of Redis 7 and later, of Redis 6, and of a script, which names no command. */
    private static final Pattern UNKNOWN_COMMAND =
            Pattern.compile("unknown (?:redis )?command(?: ['`](\\w+)['`])?", Pattern.CASE_INSENSITIVE);

    private static final Pattern NO_LUA =
            Pattern.compile("\\b(?:lua|eval)\\b.*\\b(?:disabled|not enabled|not support)", Pattern.CASE_INSENSITIVE);

    private static final String ELSEWHERE = "keep locks on a server that has it (Redis 6 or later, Valkey)";

    String remedyOf(ServerError error) {
        String text = error.text();
        Matcher unknown = UNKNOWN_COMMAND.matcher(text);
        if (contains(text, "same slot")) {
            return ofSlots();
        }
        if (contains(text, "KEYS array", "KEYS should not be")) {
            return "The service checks how scripts name their keys: set its parameter script_check_enable to 0 (Alibaba"
                    + " Cloud)";
        }
        if (NO_LUA.matcher(text).find()) {
            return ofScripting();
        }
        if (unknown.find()) {
            return ofCommand(unknown.group(1));
        }
        return error.isOfLua()
                ? "The server's Lua lacks a function of Redis that the scripts call: keep locks on Redis 6 or later or"
                        + " on Valkey"
                : "Locks need the commands of Redis 6 with EVAL and EVALSHA: check which server answers there (INFO"
                        + " server)";
    }

    /** The first connection finds shards. */
    static String ofSlots() {
        return "The address leads to shards that it did not lead to when this application connected first: restart all"
                + " instances, which then use keys for shards";
    }

    private static String ofCommand(@Nullable String command) {
        if (command == null || command.toUpperCase(Locale.ROOT).startsWith("EVAL")) {
            return ofScripting();
        }
        return "The server has no " + command.toUpperCase(Locale.ROOT) + ": remove its rename-command, allow the"
                + " command in the settings of the service or proxy, or " + ELSEWHERE;
    }

    private static String ofScripting() {
        return "The server does not execute the scripts: remove the rename-command of EVAL and EVALSHA, turn Lua on"
                + " (Garnet: --lua; Valkey 9.1: its Lua module), or " + ELSEWHERE;
    }

    private static boolean contains(String text, String... parts) {
        return Stream.of(parts).anyMatch(text::contains);
    }
}
