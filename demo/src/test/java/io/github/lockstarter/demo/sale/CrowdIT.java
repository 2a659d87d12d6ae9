package io.github.lockstarter.demo.sale;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.net.FreePort;
import io.github.lockstarter.sample.sale.NewSale;
import io.github.lockstarter.sample.sale.SaleService;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.test.context.DynamicPropertyRegistry;
import org.springframework.test.context.DynamicPropertySource;

/** Both ways of selling: each is the control of the other. */
@SpringBootTest(
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        // For busy machines.
        properties = {
            "distributed-lock.max-wait=60s",
            "distributed-lock.redis.command-timeout=20s",
            "spring.data.redis.timeout=20s"
        })
class CrowdIT {

    @Autowired
    private SaleService sales;

    @Autowired
    private BuyerCrowd crowd;

    @Autowired
    private UnlockedSale unlocked;

    @DynamicPropertySource
    static void redisOfItsOwn(DynamicPropertyRegistry registry) {
        registry.add("spring.data.redis.port", FreePort::next);
    }

    @Test
    void buysExactlyTheStockUnderTheLock() {
        sales.offer(new NewSale("locked", 40));

        CrowdResult result = crowd.buyLocked("locked", 100);

        assertThat(result).isEqualTo(new CrowdResult("locked", 40, 100, 200, 40, 0, 0, 0, 0));
    }

    @Test
    void buysMoreThanTheStockWithoutTheLock() {
        sales.offer(new NewSale("unlocked", 40));

        CrowdResult result = crowd.buyUnlocked("unlocked", 100);

        assertThat(result.sold()).isGreaterThan(40);
        assertThat(result.oversold()).isEqualTo(result.sold() - 40);
        assertThat(result.boughtTwice()).isPositive();
    }

    @Test
    void refusesInvalidPurchasesEvenWithoutTheLock() {
        sales.offer(new NewSale("lonely", 1));

        assertThat(unlocked.buy("lonely", "ann")).isTrue();
        assertThat(unlocked.buy("lonely", "ann")).isFalse();
        assertThat(unlocked.buy("lonely", "bob")).isFalse();
        assertThat(sales.find("lonely").left()).isZero();
    }
}
