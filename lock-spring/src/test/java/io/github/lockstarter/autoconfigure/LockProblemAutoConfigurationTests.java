package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.content;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.web.LockProblemAdvice;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import org.hamcrest.Matchers;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.ResultActions;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.server.ResponseStatusException;
import org.springframework.web.servlet.config.annotation.EnableWebMvc;

/** HTTP responses for lock exceptions. */
class LockProblemAutoConfigurationTests {

    private static final AutoConfigurations LOCKS =
            AutoConfigurations.of(DistributedLockAutoConfiguration.class, LockWebAutoConfiguration.class);

    private final WebApplicationContextRunner servlet = new WebApplicationContextRunner()
            .withConfiguration(LOCKS)
            .withPropertyValues("distributed-lock.backend=local");

    private final ReactiveWebApplicationContextRunner reactive = new ReactiveWebApplicationContextRunner()
            .withConfiguration(LOCKS)
            .withPropertyValues("distributed-lock.backend=local");

    @RestController
    record Failing(RuntimeException failure) {
        @GetMapping("/")
        String fail() {
            throw failure;
        }
    }

    private static ResultActions answerTo(RuntimeException failure, LockProblemAdvice advice) throws Exception {
        MockMvc http = MockMvcBuilders.standaloneSetup(new Failing(failure))
                .setControllerAdvice(advice)
                .build();
        return http.perform(get("/"));
    }

    @Test
    void respondsWithConflictWithoutShowingTheKey() {
        servlet.run(context -> answerTo(
                        new LockNotAcquiredException("order:1", "order:1 is held by thread-7"),
                        context.getBean(LockProblemAdvice.class))
                .andExpect(status().isConflict())
                .andExpect(header().string("Retry-After", "1"))
                .andExpect(jsonPath("$.title").value("Locked by another request"))
                .andExpect(content().string(Matchers.not(Matchers.containsString("order:1")))));
    }

    @EnableWebMvc
    @Configuration(proxyBeanMethods = false)
    static class Mvc {
        @Bean
        Failing failing() {
            return new Failing(new LockNotAcquiredException("order:1", "held"));
        }
    }

    @RestControllerAdvice
    static class OwnAdvice {
        @ExceptionHandler
        @ResponseStatus(HttpStatus.TOO_MANY_REQUESTS)
        void busy(LockNotAcquiredException failure) {}
    }

    @Test
    void leavesTheResponseToAnAdviceOfTheApplication() {
        WebApplicationContextRunner mvc = servlet.withUserConfiguration(Mvc.class);
        mvc.run(context -> MockMvcBuilders.webAppContextSetup(context)
                .build()
                .perform(get("/"))
                .andExpect(status().isConflict()));
        mvc.withUserConfiguration(OwnAdvice.class).run(context -> MockMvcBuilders.webAppContextSetup(context)
                .build()
                .perform(get("/"))
                .andExpect(status().isTooManyRequests()));
    }

    @Test
    void respondsWithUnavailableAndRetryAfter() {
        servlet.withPropertyValues("distributed-lock.web.retry-after=2500ms").run(context -> {
            LockProblemAdvice advice = context.getBean(LockProblemAdvice.class);
            answerTo(new LockBackendException("order:1", "no answer", null), advice)
                    .andExpect(status().isServiceUnavailable())
                    .andExpect(header().string("Retry-After", "3"));
            answerTo(new LockStoreRecoveringException("order:1", "recovers", Duration.ofMillis(25_100)), advice)
                    .andExpect(status().isServiceUnavailable())
                    .andExpect(header().string("Retry-After", "26"));
        });
    }

    @Test
    void respondsEquallyInWebFlux() {
        reactive.run(
                context -> WebTestClient.bindToController(new Failing(new LockNotAcquiredException("order:1", "held")))
                        .controllerAdvice(context.getBean(LockProblemAdvice.class))
                        .build()
                        .get()
                        .uri("/")
                        .exchange()
                        .expectStatus()
                        .isEqualTo(409)
                        .expectHeader()
                        .valueEquals("Retry-After", "1"));
    }

    /** A client that repeats half-done work, because the response says so, does it twice. */
    @Test
    void leavesExceptionsWhoseCauseIsALockExceptionToSpring() {
        LockNotAcquiredException held = new LockNotAcquiredException("order:1", "held");
        RuntimeException halfDone =
                new IllegalStateException("charged", new LockBackendException("order:1", "no answer", null));
        servlet.run(context -> {
            LockProblemAdvice advice = context.getBean(LockProblemAdvice.class);
            answerTo(new ResponseStatusException(HttpStatus.TOO_MANY_REQUESTS, "busy", held), advice)
                    .andExpect(status().isTooManyRequests())
                    .andExpect(header().doesNotExist("Retry-After"));
            assertThatThrownBy(() -> answerTo(halfDone, advice)).hasCause(halfDone);
            answerTo(new CompletionException(held), advice).andExpect(status().isConflict());
        });
        reactive.run(context -> {
            LockProblemAdvice advice = context.getBean(LockProblemAdvice.class);
            assertThat(statusOf(new ResponseStatusException(HttpStatus.TOO_MANY_REQUESTS, "busy", held), advice))
                    .isEqualTo(429);
            assertThat(statusOf(halfDone, advice)).isEqualTo(500);
            assertThat(statusOf(new CompletionException(held), advice)).isEqualTo(409);
        });
    }

    private static int statusOf(RuntimeException failure, LockProblemAdvice advice) {
        return WebTestClient.bindToController(new Failing(failure))
                .controllerAdvice(advice)
                .build()
                .get()
                .uri("/")
                .exchange()
                .returnResult(String.class)
                .getStatus()
                .value();
    }

    @Test
    void theAdviceIsPresentInWebApplicationsUnlessDisabled() {
        servlet.withPropertyValues("distributed-lock.web.problem-details=off")
                .run(context -> assertThat(context).doesNotHaveBean(LockProblemAdvice.class));
        reactive.withPropertyValues("distributed-lock.web.problem-details=false")
                .run(context -> assertThat(context).doesNotHaveBean(LockProblemAdvice.class));
        servlet.withPropertyValues("distributed-lock.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(LockProblemAdvice.class));
        new ApplicationContextRunner()
                .withConfiguration(LOCKS)
                .withPropertyValues("distributed-lock.backend=local")
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(LockProblemAdvice.class));
        new ApplicationContextRunner()
                .withConfiguration(LOCKS)
                .withClassLoader(new FilteredClassLoader(RestControllerAdvice.class))
                .withPropertyValues("distributed-lock.backend=local")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void theAdviceIsReplacedByOneOfTheApplication() {
        servlet.withBean("own", LockProblemAdvice.class, () -> new LockProblemAdvice(Duration.ZERO))
                .run(context -> assertThat(context)
                        .hasSingleBean(LockProblemAdvice.class)
                        .hasBean("own"));
    }

    @Test
    void startFailsForANegativeTime() {
        FailureReport.assertThat(servlet.withPropertyValues("distributed-lock.web.retry-after=-1s"))
                .contains("distributed-lock.web.retry-after is -1s; it must be between 0ms and 365d");
    }
}
