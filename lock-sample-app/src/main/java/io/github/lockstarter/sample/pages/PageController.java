package io.github.lockstarter.sample.pages;

import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.Positive;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Page views over HTTP: one at a time, or many at once. */
@RestController
@RequestMapping("/pages/{page}/views")
class PageController {

    private static final String PAGE = "[a-z0-9-]{1,64}";

    private final PageViews views;
    private final BurstRunner bursts;

    PageController(PageViews views, BurstRunner bursts) {
        this.views = views;
        this.bursts = bursts;
    }

    @GetMapping
    Views views(@PathVariable @Pattern(regexp = PAGE) String page) {
        return new Views(page, views.views(page));
    }

    @PostMapping("/unlocked")
    Views countUnlocked(@PathVariable @Pattern(regexp = PAGE) String page) {
        return new Views(page, views.countUnlocked(page));
    }

    @PostMapping("/locked")
    Views countLocked(@PathVariable @Pattern(regexp = PAGE) String page) {
        return new Views(page, views.countLocked(page));
    }

    @PostMapping("/unlocked/burst")
    Burst unlockedBurst(
            @PathVariable @Pattern(regexp = PAGE) String page,
            @RequestParam(defaultValue = "200") @Positive @Max(1000) int count) {
        return bursts.unlocked(page, count);
    }

    @PostMapping("/locked/burst")
    Burst lockedBurst(
            @PathVariable @Pattern(regexp = PAGE) String page,
            @RequestParam(defaultValue = "200") @Positive @Max(1000) int count) {
        return bursts.locked(page, count);
    }

    /**
     * The counter of a page.
     *
     * @param page the page
     * @param views what it shows
     */
    record Views(String page, long views) {}
}
