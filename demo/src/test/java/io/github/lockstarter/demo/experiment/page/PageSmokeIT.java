package io.github.lockstarter.demo.experiment.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;

/** Opens the page and sells a stock on it. {@link ExperimentPageIT} and {@link GalleryPageIT} have the rest. */
@EnabledIf(value = "isPossible", disabledReason = "NOT RUN: there is no Chromium with its chromedriver on the PATH")
class PageSmokeIT {

    @TempDir
    private static Path directory;

    private static PackagedDemo app;
    private static Chromium chromium;

    static boolean isPossible() {
        return Chromium.isInstalled();
    }

    @BeforeAll
    static void start() throws IOException {
        app = PackagedDemo.start(directory);
        chromium = Chromium.start();
        chromium.resize(1280, 2000);
    }

    @AfterAll
    static void end() throws InterruptedException {
        if (chromium != null) {
            chromium.close();
        }
        if (app != null) {
            app.end();
        }
    }

    @Test
    void opensWithTheExperiment() {
        ExperimentPage page = new ExperimentPage(chromium.driver());

        page.open(app.port());

        page.plan(2, "standalone");
        assertThat(page.problem()).isEmpty();
    }

    @Test
    void sellsExactlyTheStockUnderTheLock() {
        chromium.driver().get("about:blank");
        chromium.driver().get("http://localhost:" + app.port() + "/#sale");

        chromium.driver().findElement(By.id("sell-locked")).click();

        await().atMost(Patience.TIME).until(() -> chromium.driver()
                .findElement(By.id("sale-status"))
                .getText()
                .startsWith("With the lock: 100 of 100 sold."));
    }
}
