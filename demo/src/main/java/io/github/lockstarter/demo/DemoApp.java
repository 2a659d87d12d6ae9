package io.github.lockstarter.demo;

import io.github.lockstarter.demo.command.DemoCommand;
import io.github.lockstarter.demo.gallery.caller.CallerProgram;
import io.github.lockstarter.demo.report.ReportInstance;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.event.ApplicationReadyEvent;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.context.event.EventListener;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * A page with the page-view experiment, the gallery of broken locks, and the flash sale of the sample application.
 * Starts Redis if it is not running. With {@code experiment}, {@code gallery} or {@code report} as the first argument,
 * runs in the terminal.
 */
@SpringBootApplication(
        scanBasePackages = {
            "io.github.lockstarter.demo",
            "io.github.lockstarter.sample.redis",
            "io.github.lockstarter.sample.sale",
            "io.github.lockstarter.sample.web"
        })
@ConfigurationPropertiesScan
@EnableScheduling
public class DemoApp {

    /** First argument of an instance of the experiment; internal. */
    public static final String INSTANCE = "instance";

    /** First argument of an instance of a report; internal. */
    public static final String REPORT_INSTANCE = "report-instance";

    /** First argument of a caller of the gallery; internal. */
    public static final String CALLER = "gallery-caller";

    private static final Logger log = LoggerFactory.getLogger(DemoApp.class);

    /**
     * Starts the page, or runs a command.
     *
     * @param args Spring Boot's, such as {@code --server.port=0 --spring.data.redis.port=6380}; or {@code experiment},
     *     {@code gallery} or {@code report} with options, see {@code experiment --help}
     */
    public static void main(String[] args) {
        String program = args.length == 0 ? "" : args[0];
        switch (program) {
            case "experiment", "gallery", "report" -> System.exit(DemoCommand.run(args));
            case CALLER -> CallerProgram.run(Arrays.copyOfRange(args, 1, args.length));
            case REPORT_INSTANCE -> ReportInstance.run();
            case INSTANCE -> InstanceApp.run(Arrays.copyOfRange(args, 1, args.length));
            default -> SpringApplication.run(DemoApp.class, args);
        }
    }

    /** Logs the address of the page. */
    @EventListener
    void started(ApplicationReadyEvent event) {
        Environment environment = event.getApplicationContext().getEnvironment();
        log.info("""
                The demo is up. Open http://localhost:{}/
                In the terminal: java -jar lock-demo.jar experiment --help, gallery --help, or report --help
                """, environment.getProperty("local.server.port", "8080"));
    }
}
