package io.github.lockstarter.demo.experiment.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

/** Opens the page and sells a stock on it. {@link ExperimentPageIT} and {@link GalleryPageIT} have the rest. */
class PageSmokeIT extends DemoPage {

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
