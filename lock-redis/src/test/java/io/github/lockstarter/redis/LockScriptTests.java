package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import com.jayway.jsonpath.JsonPath;
import io.github.lockstarter.redis.connection.SignalMailbox;
import io.lettuce.core.codec.Base16;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class LockScriptTests {

    private static final Pattern INPUT = Pattern.compile("(?:KEYS|ARGV)\\[[^\\]]+]");
    private static final Pattern DOCUMENTED_INPUT = Pattern.compile("(?m)^-- ((?:KEYS|ARGV)\\[[^\\]]+]) {2,}\\S");

    @ParameterizedTest
    @EnumSource
    void documentsExactlyTheKeysAndArgumentsThatItUses(LockScript script) {
        Set<String> documented = matches(DOCUMENTED_INPUT, header(script), 1);
        Set<String> used = matches(INPUT, body(script).replace("unpack(KEYS, 1, ", "KEYS[i]"), 0);
        assertThat(documented).isNotEmpty().isEqualTo(used);
    }

    @ParameterizedTest
    @EnumSource
    void documentsItsReply(LockScript script) {
        assertThat(header(script)).contains("-- Returns ");
    }

    @ParameterizedTest
    @EnumSource
    void assignsItsInputsToLocalsFirst(LockScript script) {
        List<String> lines =
                withoutHeadsOfLoops(body(script).lines().map(String::strip).toList());
        List<String> linesWithInputs =
                lines.stream().filter(LockScriptTests::hasInput).toList();
        List<String> before = lines.stream()
                .takeWhile(line -> !hasInput(line) && !isHeadOfLoop(line))
                .toList();
        assertThat(before).noneMatch(line -> line.contains("redis."));
        assertThat(linesWithInputs).allMatch(line -> line.startsWith("local "));
        assertThat(lines.stream().skip(before.size()).limit(linesWithInputs.size()))
                .containsExactlyElementsOf(linesWithInputs);
    }

    @ParameterizedTest
    @EnumSource
    void computesTheSha1OfItsText(LockScript script) {
        assertThat(script.sha()).isEqualTo(Base16.digest(script.text().getBytes(StandardCharsets.UTF_8)));
    }

    @ParameterizedTest
    @EnumSource
    void includesOtherScriptsInItsText(LockScript script) {
        assertThat(script.text()).doesNotContain("-- include ");
    }

    @ParameterizedTest
    @EnumSource(names = {"ACQUIRE", "ACQUIRE_PERMIT", "ACQUIRE_READ", "RENEW"})
    void checksTheHistoryOnce(LockScript script) {
        assertThat(script.text()).containsOnlyOnce("\nlocal marker, age, micros, refusal = known");
    }

    @ParameterizedTest
    @EnumSource(names = {"ACQUIRE", "ACQUIRE_PERMIT", "ACQUIRE_READ", "BEAT"})
    void indentsIncludedTextLikeTheIncludeLine(LockScript script) {
        assertThat(script.text())
                .containsOnlyOnce(
                        script == LockScript.ACQUIRE
                                ? "\n      if gone and not heard then\n        heard = "
                                : "\n    if gone and not heard then\n      heard = ");
    }

    /** The configuration of native-image names the resources, with the included files. */
    @Test
    void arePartOfANativeImage() throws Exception {
        String configuration = "/META-INF/native-image/io.github.lockstarter/lock-redis/resource-config.json";
        List<String> patterns;
        try (InputStream file = LockScript.class.getResourceAsStream(configuration)) {
            patterns = JsonPath.read(file, "$.resources.includes[*].pattern");
        }
        String directory = LockScript.class.getPackageName().replace('.', '/') + "/script/";
        try (Stream<Path> files = Files.list(
                Path.of(LockScript.class.getResource("script/acquire.lua").toURI())
                        .getParent())) {
            assertThat(files.map(file -> directory + file.getFileName()).filter(name -> name.endsWith(".lua")))
                    .hasSizeGreaterThan(LockScript.values().length)
                    .allMatch(name -> patterns.stream().anyMatch(name::matches));
        }
    }

    @Test
    void usesTheMailboxPrefixOfAWantedNotice() {
        assertThat(body(LockScript.ACQUIRE))
                .contains("'" + SignalMailbox.WANTED + "' .. (name ~= '=' and name or tag)");
    }

    @Test
    void usesTheMailboxPrefixOfARevocation() {
        assertThat(body(LockScript.RELEASE))
                .contains("'" + SignalMailbox.REVOKED + "' .. redis.sha1hex(revoked) .. ':' ..");
    }

    /** Variables of a loop are named at its start. */
    private static List<String> withoutHeadsOfLoops(List<String> lines) {
        List<String> others = new ArrayList<>();
        boolean head = false;
        for (String line : lines) {
            head = isHeadOfLoop(line) || (head && line.startsWith("local ") && hasInput(line));
            if (!head || isHeadOfLoop(line)) {
                others.add(line);
            }
        }
        return others;
    }

    private static boolean hasInput(String line) {
        return INPUT.matcher(line).find() || line.contains("unpack(KEYS");
    }

    private static boolean isHeadOfLoop(String line) {
        return line.startsWith("for i = ");
    }

    private static String header(LockScript script) {
        return script.text().lines().takeWhile(line -> line.startsWith("--")).collect(Collectors.joining("\n"));
    }

    private static String body(LockScript script) {
        return script.text().lines().dropWhile(line -> line.startsWith("--")).collect(Collectors.joining("\n"));
    }

    private static Set<String> matches(Pattern pattern, String text, int group) {
        return pattern.matcher(text)
                .results()
                .map((MatchResult match) -> match.group(group))
                .collect(Collectors.toCollection(TreeSet::new));
    }
}
