package io.github.lockstarter.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class FencingTokensTests {

    @Test
    void growWithRevisionsAndOffsetsAndExceedEveryFloor() {
        long seed = System.nanoTime();
        System.out.println("Seed of the floors: " + seed);
        Random random = new Random(seed);
        long last = 0;
        long revision = 1;
        long offset = 0;
        for (int i = 0; i < 100_000; i++) {
            long floor = random.nextInt(10) == 0 ? last + random.nextInt(1_000_000) : random.nextInt(1_000_000);
            long known = revision + random.nextInt(3);
            long raised = FencingTokens.offsetAbove(floor, known, offset);
            revision = known + 1 + random.nextInt(3);

            long first = FencingTokens.at(revision, raised);
            assertThat(raised).isGreaterThanOrEqualTo(offset);
            assertThat(first).isGreaterThan(floor).isGreaterThan(last);
            last = first + FencingTokens.ROOM - 1;
            offset = raised;
        }
    }

    @Test
    void keepTheOffsetWhenTheFloorIsReached() {
        assertThat(FencingTokens.offsetAbove(10 * FencingTokens.ROOM, 10, 5)).isEqualTo(5);
    }
}
