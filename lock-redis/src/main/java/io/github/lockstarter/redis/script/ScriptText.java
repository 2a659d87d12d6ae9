package io.github.lockstarter.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The text of a script as the server gets it. What scripts have in common is a file of its own: the line
 * {@code -- include name.lua} stands for that file, indented as the line is. A file that is included includes none.
 */
final class ScriptText {

    private static final Pattern INCLUDE = Pattern.compile("(?m)^( *)-- include (\\w+\\.lua)\\b.*\\R");
    private static final Pattern LINE_WITH_TEXT = Pattern.compile("(?m)^(?=.)");

    private ScriptText() {}

    static String of(String file) {
        return INCLUDE.matcher(read(file)).replaceAll(ScriptText::included);
    }

    private static String included(MatchResult include) {
        String indented = LINE_WITH_TEXT.matcher(read(include.group(2))).replaceAll(include.group(1));
        return Matcher.quoteReplacement(indented);
    }

    private static String read(String file) {
        try (InputStream resource = ScriptText.class.getResourceAsStream(file)) {
            if (resource == null) {
                throw new IllegalStateException("The lock-redis jar is incomplete: no " + file
                        + " beside its classes. Repackage it with its resources");
            }
            return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read " + file + " from the lock-redis jar", e);
        }
    }
}
