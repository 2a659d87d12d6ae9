package io.github.lockstarter.demo.experiment.pageview;

import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * A page view over HTTP, counted in five ways. A client that gets no answer, or 409 or 5xx, repeats its request with
 * the same {@code X-Request-Id}; it is counted once.
 */
@RestController
@RequestMapping(method = {RequestMethod.GET, RequestMethod.POST})
class PageViewController {

    private static final String PAGE = "[a-z0-9-]{1,64}";
    private static final String REQUEST_ID = "X-Request-Id";
    private static final int LONGEST_ID = 100;

    private final IncrementedViews incremented;
    private final UnlockedViews unlocked;
    private final SynchronizedViews synchronizedViews;
    private final LockedViews locked;
    private final ObjectProvider<RedlockViews> redlock;

    PageViewController(
            IncrementedViews incremented,
            UnlockedViews unlocked,
            SynchronizedViews synchronizedViews,
            LockedViews locked,
            ObjectProvider<RedlockViews> redlock) {
        this.incremented = incremented;
        this.unlocked = unlocked;
        this.synchronizedViews = synchronizedViews;
        this.locked = locked;
        this.redlock = redlock;
    }

    @RequestMapping("/v0/pview")
    PageView incremented(
            @RequestParam(defaultValue = "home") @Pattern(regexp = PAGE) String page,
            @RequestHeader(name = REQUEST_ID, required = false) @Size(max = LONGEST_ID) @Nullable String request) {
        return incremented.count(page, idOf(request));
    }

    @RequestMapping("/v1/pview")
    PageView unlocked(
            @RequestParam(defaultValue = "home") @Pattern(regexp = PAGE) String page,
            @RequestHeader(name = REQUEST_ID, required = false) @Size(max = LONGEST_ID) @Nullable String request) {
        return unlocked.count(page, idOf(request));
    }

    @RequestMapping("/v2/pview")
    PageView inOneJvm(
            @RequestParam(defaultValue = "home") @Pattern(regexp = PAGE) String page,
            @RequestHeader(name = REQUEST_ID, required = false) @Size(max = LONGEST_ID) @Nullable String request) {
        return synchronizedViews.count(page, idOf(request));
    }

    @RequestMapping("/v3/pview")
    PageView locked(
            @RequestParam(defaultValue = "home") @Pattern(regexp = PAGE) String page,
            @RequestHeader(name = REQUEST_ID, required = false) @Size(max = LONGEST_ID) @Nullable String request) {
        return locked.count(page, idOf(request));
    }

    @RequestMapping("/v4/pview")
    PageView redlocked(
            @RequestParam(defaultValue = "home") @Pattern(regexp = PAGE) String page,
            @RequestHeader(name = REQUEST_ID, required = false) @Size(max = LONGEST_ID) @Nullable String request) {
        RedlockViews views = redlock.getIfAvailable();
        if (views == null) {
            throw new ResponseStatusException(
                    HttpStatus.NOT_FOUND,
                    "This instance knows no servers for Redlock. Start it with --spring.profiles.active=redlock and"
                            + " --distributed-lock.redlock.nodes=<five addresses>");
        }
        return views.count(page, idOf(request));
    }

    @ExceptionHandler
    ProblemDetail refused(OvertakenException refusal) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, refusal.getMessage());
        problem.setTitle("Stale write refused");
        return problem;
    }

    private static String idOf(@Nullable String request) {
        return request == null ? UUID.randomUUID().toString() : request;
    }
}
