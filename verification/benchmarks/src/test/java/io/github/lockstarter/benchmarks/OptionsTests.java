package io.github.lockstarter.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class OptionsTests {

    @Test
    void parsesNamesAndValues() {
        Options options = Options.parse("--rounds=3", "--clients=floor,lock-starter");

        assertThat(options.value("rounds")).contains("3");
        assertThat(options.words("clients")).containsExactly("floor", "lock-starter");
        assertThat(options.value("out")).isEmpty();
        assertThat(options.words("out")).isEmpty();
    }

    @Test
    void rejectsAnUnknownName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse("--round-time=3s"))
                .withMessageContaining("No option --round-time");
    }

    @Test
    void rejectsOtherArguments() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Options.parse("uncontended-1"))
                .withMessageContaining("--name=value");
    }
}
