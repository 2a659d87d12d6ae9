package io.github.lockstarter.redis;

import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The commands in the texts of the scripts, so that tests of a server without one of them forget none. */
public final class ScriptCommands {

    /** Without them, locks lack the history guard or takeovers. */
    public static final Set<String> OPTIONAL = Set.of("INFO", "PUBSUB");

    private static final Pattern CALL = Pattern.compile("redis\\.p?call\\(([^,)]+)");
    private static final Pattern NAME = Pattern.compile("'([A-Z]+)'");

    private ScriptCommands() {}

    public static List<String> all() {
        return Stream.of(LockScript.values())
                .flatMap(script -> found(CALL, script.text()))
                .flatMap(call -> found(NAME, call))
                .distinct()
                .sorted()
                .toList();
    }

    public static List<String> required() {
        return all().stream().filter(command -> !OPTIONAL.contains(command)).toList();
    }

    private static Stream<String> found(Pattern pattern, String text) {
        return pattern.matcher(text)
                .results()
                .map(MatchResult::group)
                .map(group -> pattern == NAME ? group.replace("'", "") : group);
    }
}
