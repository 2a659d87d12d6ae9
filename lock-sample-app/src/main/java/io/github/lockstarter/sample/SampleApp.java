package io.github.lockstarter.sample;

import io.github.lockstarter.sample.experiment.ExperimentCommand;
import io.github.lockstarter.sample.experiment.store.StoreProgram;
import io.github.lockstarter.sample.gallery.actor.ActorProgram;
import java.util.Arrays;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.boot.context.properties.ConfigurationPropertiesScan;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * The sample: orders, jobs and page views over HTTP, with their data and their locks in one Redis. Brings its own Redis
 * when none listens; says so, and what to try, when it is up. With {@code experiment} as its first argument it runs the
 * page-view experiment in the terminal instead.
 */
@SpringBootApplication
@ConfigurationPropertiesScan
@EnableScheduling
public class SampleApp {

    /** First argument that makes this program an instance of the experiment. For the experiment's own use. */
    public static final String INSTANCE = "instance";

    /** First argument that makes this program a server of locks. For the experiment's own use. */
    public static final String STORE = "store";

    /** First argument that makes this program an actor of the gallery. For the gallery's own use. */
    public static final String ACTOR = "gallery-actor";

    private static final String EXPERIMENT = "experiment";

    /**
     * Starts the application, or runs the experiment.
     *
     * @param args Spring Boot's, such as {@code --server.port=0 --spring.data.redis.port=6380}; or {@code experiment}
     *     and its options, see {@code experiment --help}
     */
    public static void main(String[] args) {
        String program = args.length == 0 ? "" : args[0];
        switch (program) {
            case EXPERIMENT ->
                System.exit(ExperimentCommand.run(Arrays.asList(args).subList(1, args.length)));
            case STORE -> StoreProgram.run(Arrays.copyOfRange(args, 1, args.length));
            case ACTOR -> ActorProgram.run(Arrays.copyOfRange(args, 1, args.length));
            case INSTANCE -> InstanceApp.run(Arrays.copyOfRange(args, 1, args.length));
            default -> SpringApplication.run(SampleApp.class, args);
        }
    }
}
