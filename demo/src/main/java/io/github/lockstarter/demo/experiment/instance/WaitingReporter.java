package io.github.lockstarter.demo.experiment.instance;

import io.github.lockstarter.demo.experiment.pageview.PageViewSection;
import io.github.lockstarter.demo.experiment.pageview.SectionEnd;
import io.github.lockstarter.demo.experiment.pageview.SectionListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Reports every 50 ms the number of waiting requests of each page, if it has changed. */
@Component
@Profile("instance")
class WaitingReporter implements SectionListener, HandlerInterceptor, WebMvcConfigurer {

    private static final String PAGE = "page";

    private final EventPipe pipe;
    private final Map<String, Integer> waiting = new ConcurrentHashMap<>();

    /** Used only by the reporting thread. */
    private final Map<String, Integer> reported = new HashMap<>();

    WaitingReporter(EventPipe pipe) {
        this.pipe = pipe;
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this).addPathPatterns("/*/pview");
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        add(request.getParameter(PAGE), 1);
        return true;
    }

    @Override
    public void afterCompletion(
            HttpServletRequest request, HttpServletResponse response, Object handler, @Nullable Exception failure) {
        add(request.getParameter(PAGE), -1);
    }

    @Override
    public void began(PageViewSection section) {
        add(section.page(), -1);
    }

    @Override
    public void ended(PageViewSection section, SectionEnd end) {
        add(section.page(), 1);
    }

    @Scheduled(fixedRate = 50)
    void report() {
        Map<String, Integer> now = new HashMap<>(waiting);
        reported.keySet().forEach(page -> now.putIfAbsent(page, 0));
        now.forEach((page, count) -> {
            if (!count.equals(reported.put(page, count))) {
                pipe.send(new InstanceEvent.Waiting(System.nanoTime(), page, count));
            }
        });
        reported.values().removeIf(count -> count == 0);
    }

    /** Removes pages without waiting requests. */
    private void add(@Nullable String page, int requests) {
        waiting.merge(page == null ? "" : page, requests, (before, more) -> before + more == 0 ? null : before + more);
    }
}
