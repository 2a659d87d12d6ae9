package io.github.lockstarter.stored;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.jvm.Jdks;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Instances of any version on any JDK find a lock, or a fence, under one text. A change makes them lock apart. */
class StoredTextsTests {

    private static final int NEWER = 25;

    @Test
    void areThePinnedOnes() {
        assertThat(StoredTexts.computed()).isEqualTo(StoredTexts.pinned());
    }

    @Test
    void areThePinnedOnesOnANewerJdk() {
        Optional<Path> newer = Jdks.atLeast(NEWER);
        assumeTrue(newer.isPresent() && !newer.get().equals(Jdks.own()), "no other JDK");

        try (ChildJvm jvm = ChildJvm.start(newer.orElseThrow(), ChildJvm.SMALL, StoredTexts.class)) {
            jvm.awaitExit(Patience.TIME);
            assertThat(jvm.lines()).containsExactly("compared by " + Jdks.featureOf(newer.orElseThrow()));
        }
    }
}
