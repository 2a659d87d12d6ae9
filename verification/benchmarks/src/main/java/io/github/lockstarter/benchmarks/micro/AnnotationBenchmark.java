package io.github.lockstarter.benchmarks.micro;

import io.github.lockstarter.LockOperations;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullUnmarked;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** The overhead of the annotation over the template, and of the template over a plain call, with local locks. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@NullUnmarked // JMH sets the fields
public class AnnotationBenchmark {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration(
            excludeName = {
                "com.baomidou.lock.spring.boot.autoconfigure.LockAutoConfiguration",
                "com.baomidou.lock.spring.boot.autoconfigure.RedisTemplateLockAutoConfiguration",
                // The class path contains one for another client, without a database.
                "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
            })
    @Import(ShippingVariants.class)
    static class Application {}

    private ConfigurableApplicationContext context;
    private ShippingVariants annotated;
    private ShippingVariants direct;
    private long orderId;

    @Setup(Level.Trial)
    public void start() {
        SpringApplication application = new SpringApplication(Application.class);
        application.setWebApplicationType(WebApplicationType.NONE);
        application.setDefaultProperties(Map.of(
                "distributed-lock.backend", "local", "spring.main.banner-mode", "off", "logging.level.root", "error"));
        context = application.run();
        annotated = context.getBean(ShippingVariants.class);
        direct = new ShippingVariants(context.getBean(LockOperations.class));
    }

    @TearDown(Level.Trial)
    public void stop() {
        context.close();
    }

    /** Without a lock. */
    @Benchmark
    public long plain() {
        return direct.shipPlain(orderId++);
    }

    /** With the template. */
    @Benchmark
    public long template() {
        return direct.shipByTemplate(orderId++);
    }

    /** With the annotation. */
    @Benchmark
    public long annotation() {
        return annotated.shipByAnnotation(orderId++);
    }
}
