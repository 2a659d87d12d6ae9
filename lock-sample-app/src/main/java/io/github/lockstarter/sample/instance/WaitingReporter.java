package io.github.lockstarter.sample.instance;

import io.github.lockstarter.sample.pview.Section;
import io.github.lockstarter.sample.pview.SectionEnd;
import io.github.lockstarter.sample.pview.SectionListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Profile;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.config.annotation.InterceptorRegistry;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;

/** Tells every 50 ms how many requests are in this instance and in no section, when that has changed. */
@Component
@Profile("instance")
class WaitingReporter implements SectionListener, HandlerInterceptor, WebMvcConfigurer {

    private final EventPipe pipe;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicInteger told = new AtomicInteger();

    WaitingReporter(EventPipe pipe) {
        this.pipe = pipe;
    }

    @Override
    public void addInterceptors(InterceptorRegistry registry) {
        registry.addInterceptor(this).addPathPatterns("/*/pview");
    }

    @Override
    public boolean preHandle(HttpServletRequest request, HttpServletResponse response, Object handler) {
        waiting.incrementAndGet();
        return true;
    }

    @Override
    public void afterCompletion(
            HttpServletRequest request, HttpServletResponse response, Object handler, @Nullable Exception failure) {
        waiting.decrementAndGet();
    }

    @Override
    public void began(Section section) {
        waiting.decrementAndGet();
    }

    @Override
    public void ended(Section section, SectionEnd end) {
        waiting.incrementAndGet();
    }

    @Scheduled(fixedRate = 50)
    void tell() {
        int count = waiting.get();
        if (told.getAndSet(count) != count) {
            pipe.send(new InstanceEvent.Waiting(System.nanoTime(), count));
        }
    }
}
