package io.github.lockstarter.sample.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.diagnostics.FailureAnalysis;

class NoRedisFailureAnalyzerTests {

    @Test
    void saysToStartARedisWhereNoneIsBundled() {
        FailureAnalysis analysis = analyze(NoRedisException.noBinary());

        assertThat(analysis.getDescription())
                .startsWith("Nothing listens on spring.data.redis.*, and no redis-server is bundled for ")
                .contains(System.getProperty("os.name"), System.getProperty("os.arch"));
        assertThat(analysis.getAction()).startsWith("Start a Redis").contains("--spring.data.redis.host=");
    }

    @Test
    void saysWhyTheBundledServerDidNotStart() {
        FailureAnalysis analysis = analyze(NoRedisException.notStarted(new IOException("no space left")));

        assertThat(analysis.getDescription()).contains("did not start: no space left");
    }

    private static FailureAnalysis analyze(NoRedisException failure) {
        FailureAnalysis analysis = new NoRedisFailureAnalyzer().analyze(new IllegalStateException(failure));
        assertThat(analysis).isNotNull();
        return analysis;
    }
}
