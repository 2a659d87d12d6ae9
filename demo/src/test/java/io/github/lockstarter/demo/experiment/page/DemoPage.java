package io.github.lockstarter.demo.experiment.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/**
 * The page of the packaged application in a real browser. Without Chromium its tests are reported as skipped; with
 * {@code -Dbrowser.required=true} they fail instead, and take more images.
 */
abstract class DemoPage {

    private static final boolean REQUIRED = Boolean.getBoolean("browser.required");

    @TempDir
    private static Path directory;

    static PackagedDemo app;
    static Chromium chromium;

    static boolean isRequired() {
        return REQUIRED;
    }

    @BeforeAll
    static void startTheDemo() throws IOException {
        assumeTrue(
                REQUIRED || Chromium.isInstalled(), "NOT RUN: there is no Chromium with its chromedriver on the PATH");
        assertThat(Chromium.isInstalled())
                .as("a Chromium and its chromedriver on the PATH")
                .isTrue();
        app = PackagedDemo.start(directory);
        chromium = Chromium.start();
        chromium.resize(1280, 2000);
        chromium.prefer("light");
    }

    @AfterAll
    static void endTheDemo() throws InterruptedException {
        if (chromium != null) {
            chromium.close();
        }
        if (app != null) {
            app.end();
        }
    }
}
