package io.github.lockstarter.sample.web;

import static org.springframework.test.web.servlet.request.MockMvcRequestBuilders.get;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.header;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.jsonPath;
import static org.springframework.test.web.servlet.result.MockMvcResultMatchers.status;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockStoreRecoveringException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.test.web.servlet.MockMvc;
import org.springframework.test.web.servlet.ResultActions;
import org.springframework.test.web.servlet.setup.MockMvcBuilders;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** HTTP responses for each kind of lock failure. */
class LockProblemsTests {

    @Test
    void respondsWithConflictForALockOfAnotherOwner() throws Exception {
        answerTo(new LockNotAcquiredException("order:1", "held"))
                .andExpect(status().isConflict())
                .andExpect(header().doesNotExist("Retry-After"))
                .andExpect(jsonPath("$.lock").value("order:1"));
    }

    @Test
    void respondsWithUnavailableAndRetryAfterWhileTheStoreRecovers() throws Exception {
        answerTo(new LockStoreRecoveringException("order:1", "recovering", Duration.ofMillis(25_100)))
                .andExpect(status().isServiceUnavailable())
                .andExpect(header().string("Retry-After", "26"))
                .andExpect(jsonPath("$.title").value("Locks unavailable"));
    }

    @Test
    void respondsWithUnavailableWhenTheStoreDoesNotAnswer() throws Exception {
        answerTo(new LockBackendException("order:1", "no answer", null))
                .andExpect(status().isServiceUnavailable())
                .andExpect(header().string("Retry-After", "5"));
    }

    @Test
    void respondsWithAServerErrorForALostLock() throws Exception {
        answerTo(new LockLostException("order:1", "lost")).andExpect(status().isInternalServerError());
    }

    private static ResultActions answerTo(RuntimeException failure) throws Exception {
        MockMvc http = MockMvcBuilders.standaloneSetup(new Failing(failure))
                .setControllerAdvice(new LockProblems())
                .build();
        return http.perform(get("/"));
    }

    @RestController
    static final class Failing {

        private final RuntimeException failure;

        Failing(RuntimeException failure) {
            this.failure = failure;
        }

        @GetMapping("/")
        void fail() {
            throw failure;
        }
    }
}
