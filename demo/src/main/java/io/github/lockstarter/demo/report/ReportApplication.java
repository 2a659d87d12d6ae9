package io.github.lockstarter.demo.report;

import io.github.lockstarter.LockListener;
import io.github.lockstarter.aop.LockStartException;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * An application with the starter and nothing else, configured by {@code application-report.yml}. Without
 * {@code @Configuration}, so that {@link io.github.lockstarter.demo.DemoApp} does not find it.
 */
@EnableAutoConfiguration
class ReportApplication {

    /** The start failed; the message has the cure. */
    static final class StartException extends RuntimeException {

        private static final long serialVersionUID = 1;

        private StartException(Throwable failure) {
            super(messageOf(failure), failure);
        }

        private static String messageOf(Throwable failure) {
            Throwable cause = failure;
            while (cause.getCause() != null && !(cause instanceof LockStartException)) {
                cause = cause.getCause();
            }
            return cause instanceof LockStartException start
                    ? start.getMessage() + ". " + start.action()
                    : String.valueOf(cause.getMessage());
        }
    }

    private ReportApplication() {}

    /**
     * Starts it.
     *
     * @param settings override those of files and environment
     * @param listener receives the events of its locks
     */
    static ConfigurableApplicationContext start(ServerSettings settings, LockListener listener) {
        SpringApplicationBuilder application = new SpringApplicationBuilder(ReportApplication.class)
                .profiles("report")
                .registerShutdownHook(false)
                .initializers(context -> context.getBeanFactory().registerSingleton("reportListener", listener));
        try {
            return application.run(settings.properties().entrySet().stream()
                    .map(property -> "--" + property.getKey() + "=" + property.getValue())
                    .toArray(String[]::new));
        } catch (RuntimeException failure) {
            throw new StartException(failure);
        }
    }
}
