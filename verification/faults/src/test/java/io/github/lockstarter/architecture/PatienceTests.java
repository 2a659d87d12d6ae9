package io.github.lockstarter.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/**
 * No test depends on how fast the machine is: tests wait for what is to happen with the kit's {@code Patience}, bound
 * no time, and say why they sleep. Those that need a time bound have the tag {@code timing}.
 */
class PatienceTests {

    private static final int LEAST_SECONDS = 30;

    /** A literal, with its unit as a method of Duration or as the constant that follows. */
    private static final String TIME = "(?:(?:Duration\\.)?of(?<of>Millis|Seconds)\\((?<number>[\\d_]+)\\)"
            + "|(?<plain>[\\d_]+)L?, (?:TimeUnit\\.)?(?<unit>MILLISECONDS|SECONDS))";

    private static final Pattern WAIT =
            Pattern.compile("\\.(?:atMost|get|await|poll|orTimeout|waitFor|tryAcquire|awaitTermination|succeedsWithin"
                    + "|failsWithin|isLessThan|isLessThanOrEqualTo)\\(" + TIME);

    private static final Pattern SOCKET = Pattern.compile("\\.setSoTimeout\\((?<millis>[\\d_]+)\\)");

    /** Of JUnit: must not end a test that still waits with patience. */
    private static final Pattern TIMEOUT =
            Pattern.compile("@Timeout\\((?:value = )?(?<seconds>[\\d_]+)[,)](?! unit = TimeUnit\\.MINUTES)");

    private static final int LEAST_TIMEOUT_SECONDS = 120;

    private static final Pattern TIMED =
            Pattern.compile("^( *)@Tag\\(Effort\\.TIMING\\).*?^\\1\\}$", Pattern.DOTALL | Pattern.MULTILINE);

    /** A constant of the file. */
    private static final Pattern CONSTANT = Pattern.compile("static final (?:Duration|int|long) (?<name>[A-Z_]+) ="
            + "\\s+(?<value>(?:Duration\\.)?of(?:Millis|Seconds)\\([\\d_]+\\)|[\\d_]+);");

    /** Where it is read as its value. Others are of a clock that the test sets. */
    private static final String USE = "(?<=\\.(?:atMost|succeedsWithin|failsWithin|setSoTimeout)\\()%1$s\\b"
            + "(?!\\.(?:plus|multipliedBy))|\\b%1$s(?=, (?:TimeUnit\\.)?(?:MILLI)?SECONDS\\))";

    private static final Pattern SLEEP = Pattern.compile("\\bThread\\.sleep\\([^;]*;(?! //)");

    @Test
    void testsDependOnNoSpeed() throws IOException {
        List<String> found = new ArrayList<>();
        List<Path> tests = tests();
        for (Path test : tests) {
            String source = Files.readString(test);
            violations(withoutTimed(source))
                    .forEach(each -> found.add(SourceFiles.ROOT.relativize(test) + ": " + each));
        }
        assertThat(tests).hasSizeGreaterThan(300);
        assertThat(found).as("impatient waits").isEmpty();
    }

    @Test
    void theCheckFindsImpatientWaits() {
        assertThat(List.of(
                        "await().atMost(Duration.ofSeconds(10)).until(done);",
                        "await().atMost(ofMillis(900)).until(done);",
                        "result.get(5, TimeUnit.SECONDS)",
                        "queue.poll(300, MILLISECONDS)",
                        "latch.await(4, SECONDS)",
                        "assertThat(took).isLessThan(Duration.ofSeconds(2));",
                        "assertThat(result).succeedsWithin(Duration.ofMillis(4_900))",
                        "socket.setSoTimeout(300);",
                        "static final Duration LIMIT = Duration.ofSeconds(4); await().atMost(LIMIT).until(done);",
                        "static final Duration LEASE = ofSeconds(8); await().atMost(LEASE.dividedBy(2)).until(done);",
                        "static final int MILLIS = 500; socket.setSoTimeout(MILLIS);",
                        "@Timeout(60) class WakeUpTests {",
                        "@Timeout(value = 60, unit = TimeUnit.SECONDS)",
                        "@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)",
                        "Thread.sleep(1500);"))
                .allSatisfy(source -> assertThat(violations(source)).as(source).hasSize(1));
        assertThat(List.of(
                        "await().atMost(Patience.TIME).until(done);",
                        "await().atMost(Duration.ofMinutes(3)).until(done);",
                        "await().atMost(Duration.ofSeconds(30)).until(done);",
                        "result.get(Patience.SECONDS, TimeUnit.SECONDS)",
                        "provider.lock(atMost(Duration.ofMillis(2)))",
                        "static final Duration LONG = Duration.ofSeconds(40); await().atMost(LONG).until(done);",
                        "static final Duration LEASE = ofSeconds(8); await().atMost(LEASE.plus(LONG)).until(done);",
                        "static final int MILLIS = 30_000; socket.setSoTimeout(MILLIS);",
                        "handles.get(1).release();",
                        "@Timeout(value = 15, unit = TimeUnit.MINUTES)",
                        "@Timeout(300) class WakeUpTests {",
                        "Thread.sleep(5); // the work"))
                .allSatisfy(source -> assertThat(violations(source)).as(source).isEmpty());
    }

    @Test
    void theCheckFindsImpatientWaitsBesideTimedTests() {
        String timed =
                "class Any {\n    @Test\n    @Tag(Effort.TIMING)\n    void a() {\n        b.get(5, SECONDS);\n    }\n";
        assertThat(violations(withoutTimed(timed + "}\n"))).isEmpty();
        assertThat(violations(withoutTimed(timed + "    void c() {\n        d.get(5, SECONDS);\n    }\n}\n")))
                .hasSize(1);
        assertThat(violations(withoutTimed("@Tag(Effort.TIMING)\nclass Any {\n    int a = b.get(5, SECONDS);\n}\n")))
                .isEmpty();
    }

    /** Leaves out classes and methods with the tag, up to the bracket that ends them. */
    private static String withoutTimed(String source) {
        return TIMED.matcher(source).replaceAll("");
    }

    private static List<String> violations(String file) {
        String source = withValues(file);
        List<String> found = new ArrayList<>();
        Matcher waits = WAIT.matcher(source);
        while (waits.find()) {
            if (seconds(waits) < LEAST_SECONDS) {
                found.add(waits.group());
            }
        }
        Matcher sockets = SOCKET.matcher(source);
        while (sockets.find()) {
            if (number(sockets.group("millis")) < 1000 * LEAST_SECONDS) {
                found.add(sockets.group());
            }
        }
        Matcher timeouts = TIMEOUT.matcher(source);
        while (timeouts.find()) {
            if (number(timeouts.group("seconds")) < LEAST_TIMEOUT_SECONDS) {
                found.add(timeouts.group());
            }
        }
        SLEEP.matcher(source).results().forEach(each -> found.add(each.group()));
        return found;
    }

    private static String withValues(String file) {
        String source = file;
        for (MatchResult constant : CONSTANT.matcher(file).results().toList()) {
            source = source.replaceAll(USE.formatted(constant.group(1)), constant.group(2));
        }
        return source;
    }

    private static double number(String digits) {
        return Double.parseDouble(digits.replace("_", ""));
    }

    private static double seconds(Matcher wait) {
        boolean duration = wait.group("of") != null;
        double number = number(duration ? wait.group("number") : wait.group("plain"));
        String unit = duration ? wait.group("of") : wait.group("unit");
        return unit.startsWith("M") ? number / 1000 : number;
    }

    /** But for the benchmarks, whose subject is the time. */
    private static List<Path> tests() throws IOException {
        return SourceFiles.under(SourceFiles.ROOT, ".java").stream()
                .filter(file -> !file.endsWith("PatienceTests.java"))
                .filter(file -> {
                    String path = SourceFiles.ROOT.relativize(file).toString().replace('\\', '/');
                    return path.contains("src/test/") && !path.startsWith("verification/benchmarks/");
                })
                .toList();
    }
}
