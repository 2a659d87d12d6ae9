package io.github.lockstarter.autoconfigure.testing;

import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.AbstractStringAssert;
import org.assertj.core.api.Assertions;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.test.context.runner.AbstractApplicationContextRunner;
import org.springframework.core.io.support.SpringFactoriesLoader;

/** The failure report for a user if the application does not start. */
public final class FailureReport {

    private FailureReport() {}

    /** Starts an application that is to fail. */
    public static AbstractStringAssert<?> assertThat(AbstractApplicationContextRunner<?, ?, ?> application) {
        AtomicReference<String> report = new AtomicReference<>();
        application.run(context -> report.set(of(context.getStartupFailure())));
        return Assertions.assertThat(report.get());
    }

    /** Description and action of the first registered analyzer, Boot's or ours, that supports the failure. */
    public static String of(Throwable failure) {
        List<FailureAnalyzer> analyzers = SpringFactoriesLoader.forDefaultResourceLocation()
                .load(FailureAnalyzer.class, SpringFactoriesLoader.FailureHandler.handleMessage((message, e) -> {}));
        return analyzers.stream()
                .map(analyzer -> Optional.ofNullable(analyzer.analyze(failure)))
                .flatMap(Optional::stream)
                .findFirst()
                .map(FailureReport::text)
                .orElseThrow(() -> new AssertionError("No analyzer for the failure", failure));
    }

    private static String text(FailureAnalysis analysis) {
        return analysis.getDescription() + "\n\n" + analysis.getAction();
    }
}
