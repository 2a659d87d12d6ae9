package io.github.lockstarter.demo.experiment.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.WebElement;

/**
 * Sells on the page of the packaged application in a real browser, with the lock and without: each is the control of
 * the other.
 */
@Tag("full")
class SalePageIT extends DemoPage {

    @BeforeEach
    void open() {
        chromium.driver().get("about:blank");
        chromium.driver().get("http://localhost:" + app.port() + "/#sale");
    }

    @Test
    void showsThatExactlyTheStockIsSoldUnderTheLock() {
        fill("stock", 40);
        fill("buyers", 100);
        press("sell-locked");

        assertThat(outcome("locked")).isEqualTo("✔ exact");
        assertThat(figure("locked", "Requests")).isEqualTo("200");
        assertThat(figure("locked", "Sold")).isEqualTo("40");
        assertThat(figure("locked", "Left in Redis")).isEqualTo("0");
        assertThat(figure("locked", "Oversold")).isEqualTo("0");
        assertThat(figure("locked", "Bought twice")).isEqualTo("0");
        assertThat(chromium.pixels("#sold-locked .sold-bar", "held")).isPositive();
        assertThat(chromium.pixels("#sold-locked .sold-bar", "race")).isZero();
        assertThat(text("sale-status")).isEqualTo("With the lock: 40 of 40 sold. Nothing was sold twice.");
    }

    @Test
    void showsThatMoreThanTheStockIsSoldWithoutTheLock() {
        press("sell-unlocked");

        assertThat(outcome("unlocked")).isEqualTo("✘ oversold");
        int sold = Integer.parseInt(figure("unlocked", "Sold"));
        assertThat(sold).isGreaterThan(100);
        assertThat(figure("unlocked", "Oversold")).isEqualTo(Integer.toString(sold - 100));
        assertThat(Integer.parseInt(figure("unlocked", "Bought twice"))).isPositive();
        assertThat(chromium.pixels("#sold-unlocked .sold-bar", "race")).isPositive();
        press("sell-locked");
        assertThat(outcome("locked")).isEqualTo("✔ exact");
        chromium.photograph("flash-sale", "[aria-labelledby=sale-title]", "[aria-labelledby=sale-title]");
    }

    @Test
    void doesNotSendInvalidInput() {
        fill("buyers", 501);
        find("sell-locked").click();

        assertThat(text("sale-status")).contains("Nothing has been sold yet");
        assertThat(chromium.driver().findElements(By.cssSelector("#buyers:invalid")))
                .hasSize(1);
    }

    private static void press(String id) {
        find(id).click();
        await().atMost(Duration.ofMinutes(2)).until(() -> "false".equals(find(id).getDomAttribute("aria-disabled")));
    }

    private static String outcome(String way) {
        return find(By.cssSelector("#sold-" + way + " .verdict")).getText();
    }

    private static String figure(String way, String name) {
        return find(By.cssSelector("#sold-" + way + " [data-figure='" + name + "'] dd"))
                .getText();
    }

    private static String text(String id) {
        return find(id).getText();
    }

    private static void fill(String id, int value) {
        WebElement field = find(id);
        field.clear();
        field.sendKeys(Integer.toString(value));
    }

    private static WebElement find(String id) {
        return find(By.id(id));
    }

    private static WebElement find(By by) {
        return chromium.driver().findElement(by);
    }
}
