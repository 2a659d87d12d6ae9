package io.github.lockstarter.simulation.mutant;

import io.github.lockstarter.redis.LockScript;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The shipped scripts with some of their files edited. */
final class EditedScripts implements UnaryOperator<String> {

    private static final Pattern INCLUDE = Pattern.compile("(?m)^( *)-- include (\\w+\\.lua)\\b.*\\R");
    private static final Pattern LINE_WITH_TEXT = Pattern.compile("(?m)^(?=.)");

    private final List<ScriptEdit> edits;
    private final Set<ScriptEdit> used = new HashSet<>();
    private final Map<String, String> edited = new HashMap<>();

    /** Edits the files; fails unless each edit changes a script. */
    EditedScripts(List<ScriptEdit> edits) {
        this.edits = edits;
        for (LockScript script : LockScript.values()) {
            edited.put(script.text(), assemble(script.name().toLowerCase(Locale.ROOT) + ".lua"));
        }
        if (used.size() != edits.size()) {
            throw new IllegalStateException("No script has all of " + edits);
        }
    }

    /** The script that runs in place of a shipped one. */
    @Override
    public String apply(String shipped) {
        return edited.getOrDefault(shipped, shipped);
    }

    /** As {@link LockScript} does. */
    private String assemble(String file) {
        String content = read(file);
        for (ScriptEdit edit : edits) {
            if (edit.file().equals(file)) {
                content = edit.in(content);
                used.add(edit);
            }
        }
        return INCLUDE.matcher(content)
                .replaceAll(include -> Matcher.quoteReplacement(
                        LINE_WITH_TEXT.matcher(assemble(include.group(2))).replaceAll(include.group(1))));
    }

    private static String read(String file) {
        try (InputStream resource = LockScript.class.getResourceAsStream("script/" + file)) {
            return new String(Objects.requireNonNull(resource, file).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
