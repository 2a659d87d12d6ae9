package io.github.lockstarter.sample.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.sample.FreePort;
import io.github.lockstarter.sample.page.ExperimentPage.Drawn;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/**
 * Drives the page of the packaged application in a real browser, and reads what a person sees. The stage (instances, their
 * proxy, Redis servers) is set up once, by the page itself. Without a Chromium the class is reported as skipped; with
 * {@code -Dbrowser.required=true} it fails then, and takes more images. What finds the overlaps of v1 and v2 finds none in
 * v3 and v4: each is the control of the other.
 */
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@EnabledIf(
        value = "isPossibleOrRequired",
        disabledReason = "NOT RUN: there is no Chromium with its chromedriver on the PATH")
class ExperimentPageIT {

    private static final Pattern URL = Pattern.compile("URL=http://localhost:(\\d+)");
    private static final int REQUESTS = Integer.getInteger("browser.requests", 300);
    private static final int INSTANCES = Integer.getInteger("browser.instances", 2);
    private static final boolean REQUIRED = Boolean.getBoolean("browser.required");

    @TempDir
    private static Path directory;

    private static Process app;
    private static Chromium chromium;
    private static ExperimentPage page;

    static boolean isPossibleOrRequired() {
        return REQUIRED || Chromium.isInstalled();
    }

    @BeforeAll
    static void setUp() throws IOException {
        assertThat(Chromium.isInstalled())
                .as("a Chromium and its chromedriver on the PATH")
                .isTrue();
        startApp();
        chromium = Chromium.start();
        chromium.resize(1280, 2000);
        chromium.prefer("light");
        page = new ExperimentPage(chromium.driver());
        page.open(port());
        page.setUp(INSTANCES);
    }

    @AfterAll
    static void takeDown() throws InterruptedException {
        if (chromium != null) {
            chromium.close();
        }
        if (app != null) {
            app.destroy();
            if (!app.waitFor(30, TimeUnit.SECONDS)) {
                app.destroyForcibly();
            }
        }
    }

    @Test
    @Order(1)
    void showsThatUpdatesAreLostWithoutALock() {
        page.run("v1", REQUESTS);

        seesLostUpdates();
        assertThat(page.number("at-once")).isGreaterThan(3);
        photograph("v1-no-lock");
    }

    @Test
    @Order(2)
    void showsThatSynchronizedExcludesWithinAnInstanceOnly() {
        page.run("v2", REQUESTS);

        seesLostUpdates();
        assertThat(page.number("at-once")).isBetween(2L, (long) INSTANCES);
        page.press("[data-zoom=closest]");
        assertThat(page.drawn("race").shared())
                .as("columns with red in two lanes")
                .isPositive();
        photograph("v2-synchronized");
    }

    @Test
    @Order(3)
    void showsThatTheDistributedLockIsExact() {
        page.run("v3", REQUESTS);

        seesAnExactCount();
        assertThat(page.number("handed-over")).isPositive();
        assertThat(page.text("fence")).isNotEqualTo("–");
        page.press("[data-zoom=closest]");
        photograph("v3-distributed-lock");
        page.press("[data-zoom=fit]");
    }

    @Test
    @Order(4)
    void showsThatRedlockIsExact() {
        page.run("v4", REQUESTS);

        seesAnExactCount();
        photograph("v4-redlock");
    }

    @Test
    @Order(5)
    void showsThatTheLateWriteOfAPausedHolderIsRefused() {
        page.disturb("pause-holder");
        page.run("v3", REQUESTS);

        assertThat(page.newestRow()).containsEntry("Lost", "✔ exact");
        assertThat(page.newestRow().get("Disturbed by")).contains("was stopped in the critical section");
        assertThat(page.number("refused")).isPositive();
        assertThat(page.number("taken-over")).isPositive();
        assertThat(page.log())
                .anySatisfy(line -> assertThat(line).contains("The store refused the late write"))
                .anySatisfy(line -> assertThat(line).contains("took the lock over"));
        assertThat(page.drawn("stale").pixels())
                .as("amber: believes it still holds")
                .isPositive();
        photograph("pause-longer-than-the-lease");
        if (REQUIRED) {
            photographThePage();
        }
        page.disturb("");
    }

    @Test
    @Order(6)
    void showsTheLossAfterTheKeyIsDeleted() {
        page.disturb("delete-key");
        page.run("v3", REQUESTS);

        assertThat(page.newestRow()).containsEntry("Lost", "✔ exact");
        assertThat(page.number("losses")).isPositive();
        assertThat(page.log()).anySatisfy(line -> assertThat(line).contains("was told that it lost the lock"));
        photograph("delete-key");
        page.disturb("");
    }

    @Test
    @Order(9)
    void takesEverythingDown() {
        long before = app.descendants().count();

        page.takeDown();

        assertThat(before).isGreaterThan(5);
        await().atMost(Duration.ofSeconds(20)).until(() -> app.descendants().count() < before - 5);
    }

    private static void seesLostUpdates() {
        long expected = page.number("expected");
        long actual = page.number("actual");
        assertThat(expected).isEqualTo(REQUESTS);
        assertThat(actual).isLessThan(expected);
        assertThat(page.text("lost")).isEqualTo("✘ " + (expected - actual));
        assertThat(page.newestRow())
                .containsEntry("Counter", Long.toString(actual))
                .containsEntry("Lost", "✘ " + (expected - actual) + " lost");
        assertThat(page.number("overlapped")).isPositive();
        assertThat(page.drawn("race").pixels()).as("red in the lanes").isPositive();
        assertThat(page.text("status")).contains("updates lost");
    }

    private static void seesAnExactCount() {
        assertThat(page.number("expected")).isEqualTo(REQUESTS);
        assertThat(page.number("actual")).isEqualTo(REQUESTS);
        assertThat(page.text("lost")).isEqualTo("✔ 0");
        Map<String, String> row = page.newestRow();
        assertThat(row).containsEntry("Counter", Integer.toString(REQUESTS)).containsEntry("Lost", "✔ exact");
        assertThat(page.number("at-once")).isEqualTo(1);
        assertThat(page.drawn("held").pixels()).as("bars").isPositive();
        assertThat(page.drawn("race").pixels()).as("red").isZero();
        assertThat(page.drawn("stale").pixels()).as("amber").isZero();
        page.press("[data-zoom=closest]");
        await().atMost(Duration.ofSeconds(5)).until(() -> page.drawn("held").pixels() > 1000);
        Drawn close = page.drawn("held");
        assertThat(close.shared()).as("columns with bars in two lanes").isZero();
        page.press("[data-zoom=fit]");
    }

    private static void photograph(String name) {
        chromium.photograph(image(name), "[aria-labelledby=figures-title]", "#timeline");
    }

    /** The whole page in the dark, and as it is on a phone. */
    private static void photographThePage() {
        chromium.prefer("dark");
        chromium.photograph(image("page-dark"), "body", "body");
        chromium.prefer("light");
        chromium.resize(360, 2000);
        chromium.photograph(image("page-phone"), "[aria-labelledby=figures-title]", "[aria-labelledby=log-title]");
        assertThat(page.isWiderThanTheWindow()).isFalse();
        chromium.resize(1280, 2000);
    }

    private static Path image(String name) {
        return Path.of(System.getProperty("screenshots.directory", "target/screenshots"))
                .resolve(name + ".png");
    }

    private static void startApp() throws IOException {
        Path output = directory.resolve("output.txt");
        app = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-jar",
                        System.getProperty("sample.jar"),
                        "--server.port=0",
                        "--spring.data.redis.port=" + FreePort.find())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        await().atMost(Duration.ofMinutes(3)).until(() -> url().find() || !app.isAlive());
        assertThat(app.isAlive()).as(ExperimentPageIT::text).isTrue();
    }

    private static int port() {
        Matcher matcher = url();
        assertThat(matcher.find()).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    private static Matcher url() {
        return URL.matcher(text());
    }

    private static String text() {
        try {
            return Files.readString(directory.resolve("output.txt"));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
