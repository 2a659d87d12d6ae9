package io.github.lockstarter.demo.experiment.pageview;

import io.github.lockstarter.demo.KebabCase;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Size;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestMethod;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

/**
 * Counts page views over HTTP in five ways. A client without an answer, or with 409 or 5xx, repeats its request with
 * the same {@code X-Request-Id}; it is counted once.
 */
@RestController
class PageViewController {

    private static final String PAGE = "[a-z0-9-]{1,64}";
    private static final String REQUEST_ID = "X-Request-Id";
    private static final int LONGEST_ID = 100;

    private final PageViewService views;
    private final ObjectProvider<RedlockViews> redlock;

    PageViewController(PageViewService views, ObjectProvider<RedlockViews> redlock) {
        this.views = views;
        this.redlock = redlock;
    }

    @RequestMapping(
            path = "/{variant:v[0-4]}/pview",
            method = {RequestMethod.GET, RequestMethod.POST})
    PageView count(
            @PathVariable String variant,
            @RequestParam(defaultValue = "home") @Pattern(regexp = PAGE) String page,
            @RequestHeader(name = REQUEST_ID, required = false) @Size(max = LONGEST_ID) @Nullable String requestId) {
        String request = requestId == null ? UUID.randomUUID().toString() : requestId;
        return switch (KebabCase.find(Variant.class, variant).orElseThrow()) {
            case V0 -> views.increment(page, request);
            case V1 -> views.countUnlocked(page, request);
            case V2 -> views.countSynchronized(page, request);
            case V3 -> views.countLocked(page, request);
            case V4 ->
                redlock.stream()
                        .findFirst()
                        .orElseThrow(PageViewController::noQuorum)
                        .count(page, request);
        };
    }

    private static ResponseStatusException noQuorum() {
        return new ResponseStatusException(
                HttpStatus.NOT_FOUND,
                "This instance knows no servers for Redlock. Start it with --spring.profiles.active=redlock and"
                        + " --distributed-lock.redlock.nodes=<five addresses>");
    }

    @ExceptionHandler
    ProblemDetail refused(ViewRejectedException refusal) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.CONFLICT, refusal.getMessage());
        problem.setTitle("Stale write refused");
        return problem;
    }
}
